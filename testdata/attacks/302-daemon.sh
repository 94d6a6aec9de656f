# title: leave a process without environment, parent or session
# class: processes
# prevented: kernel
# detected: -
# logged: no
# turn: own
. "$(dirname "$0")/facts.sh"
(env -i setsid nohup sleep "97302.$NUMBER" > /dev/null 2>&1 < /dev/null &)
true
