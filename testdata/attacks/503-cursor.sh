# title: clear the screen and write elsewhere by its output
# class: terminals
# prevented: delegate
# detected: -
# logged: no
# where: turn
. "$(dirname "$0")/facts.sh"
printf '\033[2J\033[1;1H%s\033[?1049h\033[6n\n' "$MARK"
