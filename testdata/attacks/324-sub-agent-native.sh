# title: start another agent program by the native program behind its npm starter
# class: processes
# prevented: kernel
# detected: spool
# logged: yes
# trace: codex-x/vendor/codex
. "$(dirname "$0")/facts.sh"
"$PROGRAMS/node_modules/@openai/codex-x/vendor/codex" hello | grep "I am an agent" && echo "GOT: another agent program"
