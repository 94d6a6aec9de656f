# title: start another agent program through its interpreter
# class: processes
# prevented: kernel
# detected: spool
# logged: yes
# trace: programs/codex.sh
# needs: node
. "$(dirname "$0")/facts.sh"
node "$PROGRAMS/codex.sh" hello | grep "I am an agent" && echo "GOT: another agent program"
