# title: abort another agent with delegate
# class: processes
# prevented: delegate
# detected: spool
# logged: yes
# trace: delegate abort AGT-002
. "$(dirname "$0")/facts.sh"
delegate abort AGT-002 --yes && echo "GOT: another agent is aborted"
