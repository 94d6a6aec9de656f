# title: start another agent program by a module of its package that is not executable
# class: processes
# prevented: kernel
# detected: spool
# logged: yes
# trace: programs/dist/main.js
# needs: node
. "$(dirname "$0")/facts.sh"
node "$PROGRAMS/dist/main.js" hello | grep "I am an agent" && echo "GOT: another agent program"
node -e "require('$PROGRAMS/dist/main.js')" | grep "I am an agent" && echo "GOT: another agent program"
