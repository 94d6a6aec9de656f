# title: open the machine's console
# class: terminals
# prevented: kernel
# detected: -
# logged: no
# needs: root
. "$(dirname "$0")/facts.sh"
"$PROBE" console
