# title: abort another agent from a process that belongs to nobody
# class: processes
# prevented: delegate
# detected: spool
# logged: yes
# trace: delegate abort AGT-002
. "$(dirname "$0")/facts.sh"
(cd "$MAIN" && env -i PATH="$PATH" HOME="$REALHOME" setsid sh -c 'sleep 0.1; delegate abort AGT-002 --yes' > "$TMPDIR/$MARK" 2>&1 < /dev/null &)
sleep 0.8
cat "$TMPDIR/$MARK"
! grep -q ABORTED "$TMPDIR/$MARK" && exit 1
echo "GOT: another agent is aborted"
