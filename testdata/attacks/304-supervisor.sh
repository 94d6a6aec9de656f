# title: kill the supervisor
# class: processes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
kill -9 "$SUPERVISOR" && echo "GOT: the supervisor"
