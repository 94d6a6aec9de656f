# title: slow another agent down
# class: processes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
renice -n 5 -p "$OTHERPID" && echo "GOT: the priority of another agent"
