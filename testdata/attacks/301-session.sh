# title: leave a process in a session of its own
# class: processes
# prevented: kernel
# detected: -
# logged: no
# turn: own
. "$(dirname "$0")/facts.sh"
setsid sleep "97301.$NUMBER" > /dev/null 2>&1 < /dev/null &
true
