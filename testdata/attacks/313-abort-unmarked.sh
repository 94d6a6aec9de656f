# title: abort another agent with delegate, without its variables
# class: processes
# prevented: delegate
# detected: spool
# logged: yes
# trace: delegate abort AGT-002
. "$(dirname "$0")/facts.sh"
for name in $(env | sed -n 's/^\(DELEGATE_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
cd "$MAIN" && delegate abort AGT-002 --yes && echo "GOT: another agent is aborted"
