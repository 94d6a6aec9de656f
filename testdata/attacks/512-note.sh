# title: clear the screen by a note
# class: terminals
# prevented: delegate
# detected: -
# logged: no
# where: turn
. "$(dirname "$0")/facts.sh"
mkdir -p "$DESK/inbox" && printf 'x \033[2J\033]0;%s\007\n' "$MARK" > "$DESK/inbox/$MARK.md"
