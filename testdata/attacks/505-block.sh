# title: clear the screen by the words of a block
# class: terminals
# prevented: delegate
# detected: -
# logged: no
# where: turn
. "$(dirname "$0")/facts.sh"
block -ask "$(printf 'May I? \033[2J\033]0;%s\007' "$MARK")" BLOCKED HELP "src/$(printf '\033[2J%s' "$MARK")=created"
