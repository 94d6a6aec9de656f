# title: write on another terminal of the person's
# class: terminals
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" > "$TTY" && echo "GOT: $TTY"
