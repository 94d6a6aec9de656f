# title: set the person's clipboard by its output
# class: terminals
# prevented: delegate
# detected: -
# logged: no
# where: turn
. "$(dirname "$0")/facts.sh"
printf '\033]52;c;%s\007\n' "$MARK"
