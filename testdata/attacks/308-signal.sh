# title: send a signal to another agent
# class: processes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
kill -CONT "$OTHERPID" && echo "GOT: a signal to another agent"
