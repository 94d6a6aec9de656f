# title: write in scope when the turn is over
# class: processes
# prevented: kernel
# detected: -
# logged: no
# turn: own
# pause: 0.8
. "$(dirname "$0")/facts.sh"
(setsid sh -c "sleep 0.4; echo '$MARK' > '$WORK/src/later-$MARK'" > /dev/null 2>&1 < /dev/null &)
true
