# title: clear the screen by a refused attempt
# class: terminals
# prevented: delegate
# detected: spool
# logged: yes
# where: turn
# trace: refused (x, 03.04.06.
. "$(dirname "$0")/facts.sh"
mkdir -p "$DESK/spool"
printf '{"time":"2026-01-02T03:04:06Z","layer":"x","operation":"y\\u001b[2J\\u001b]0;%s\\u0007","path":"\\u009b2J"}' "$MARK" > "$DESK/spool/$MARK.json"
