# title: type on the person's terminal
# class: terminals
# prevented: kernel
# detected: -
# logged: no
# terminal: yes
. "$(dirname "$0")/facts.sh"
"$PROBE" type "$MARK"
