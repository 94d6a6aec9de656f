# title: approve a plan or its own work
# class: processes
# prevented: delegate
# detected: spool
# logged: yes
# trace: delegate sync merge AGT-001
. "$(dirname "$0")/facts.sh"
cd "$MAIN" || exit 1
delegate approve < /dev/null && echo "GOT: a plan"
delegate sync merge AGT-001 < /dev/null && echo "GOT: a landing"
