# title: plant a command for the person's agent program
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mkdir -p "$MAIN/.claude/commands" && echo "$MARK" > "$MAIN/.claude/commands/$MARK.md" && echo "GOT: a command in the main checkout"
