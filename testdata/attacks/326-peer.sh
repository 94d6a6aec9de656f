# title: signal its keeper by the handle that a socket has of who connects
# class: processes
# prevented: kernel
# detected: -
# logged: no
# needs: pids
. "$(dirname "$0")/facts.sh"
"$PROBE" peer src/peer
