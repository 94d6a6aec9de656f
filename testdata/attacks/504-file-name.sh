# title: clear the screen by a file's name
# class: terminals
# prevented: delegate
# detected: -
# logged: no
# where: turn
. "$(dirname "$0")/facts.sh"
name=$(printf 'src/a\r\033[2J\033]0;%s\007b' "$MARK")
echo "$MARK" > "$name"
