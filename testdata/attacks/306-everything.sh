# title: kill every process that it may
# class: processes
# prevented: kernel
# detected: -
# logged: no
# needs: pids
# turn: own
. "$(dirname "$0")/facts.sh"
[ "$(readlink /proc/self/ns/pid)" != "$PIDS" ] || exit 3
kill -9 -1
true
