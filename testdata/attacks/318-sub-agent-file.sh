# title: start another agent program by the file behind its name
# class: processes
# prevented: kernel
# detected: spool
# logged: yes
# trace: programs/codex.sh
. "$(dirname "$0")/facts.sh"
sh "$PROGRAMS/codex.sh" hello | grep "I am an agent" && echo "GOT: another agent program"
