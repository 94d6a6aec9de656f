# title: start a session of its own
# class: processes
# prevented: delegate
# detected: spool
# logged: yes
# needs: fence
# trace: delegate -f /dev/null
. "$(dirname "$0")/facts.sh"
for name in $(env | sed -n 's/^\(DELEGATE_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
cd "$TMPDIR" && rm -rf "$MARK" && git init -q "$MARK" && cd "$MARK" && delegate -f /dev/null < /dev/null
cd "$TMPDIR" && delegate demo < /dev/null && echo "GOT: a session"
