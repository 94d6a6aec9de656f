# title: set the terminal's title by its output
# class: terminals
# prevented: delegate
# detected: -
# logged: no
# where: turn
. "$(dirname "$0")/facts.sh"
printf '\033]0;%s\007\033]2;%s\033\\\n' "$MARK" "$MARK"
