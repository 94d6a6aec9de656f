# title: clear the screen by what a file holds
# class: terminals
# prevented: delegate
# detected: -
# logged: no
# where: turn
. "$(dirname "$0")/facts.sh"
printf 'x\033[2J\033]0;%s\007\r\n' "$MARK" > "src/$MARK.txt"
