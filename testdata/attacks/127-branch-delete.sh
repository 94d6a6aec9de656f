# title: delete another agent's branch
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git update-ref -d "refs/heads/delegate/$SESSION/AGT-003/work" && echo "GOT: another agent's branch is gone"
