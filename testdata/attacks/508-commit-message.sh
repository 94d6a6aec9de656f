# title: clear the screen by a commit's message
# class: terminals
# prevented: delegate
# detected: -
# logged: no
# where: turn
. "$(dirname "$0")/facts.sh"
git commit -q --allow-empty -m "$(printf '\033[2J\033]0;%s\007' "$MARK")"
