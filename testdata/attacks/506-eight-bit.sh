# title: clear the screen by controls of eight bits, and turn the line around
# class: terminals
# prevented: delegate
# detected: -
# logged: no
# where: turn
. "$(dirname "$0")/facts.sh"
printf '\2332J\2350;%s\234 \302\2332J \342\200\256%s\n' "$MARK" "$MARK"
