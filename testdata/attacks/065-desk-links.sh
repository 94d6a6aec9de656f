# title: put links where the manager makes folders and files for it
# class: writes
# prevented: delegate
# detected: -
# logged: no
# times: 2
# turn: own
. "$(dirname "$0")/facts.sh"
rm -rf "$DESK/inbox" "$DESK/spool" "$DESK/COMMANDS.md" "$DESK/hook-seen"
ln -s "$MAIN/lib" "$DESK/inbox"
ln -s "$MAIN/lib" "$DESK/spool"
ln -s "$MAIN/README.md" "$DESK/COMMANDS.md"
ln -s "$MAIN/README.md" "$DESK/hook-seen"
delegate abort AGT-002 --yes
true
