# title: print a completion in another agent's name
# class: records
# prevented: -
# detected: supervisor
# logged: yes
# where: turn
# trace: AGT-003
. "$(dirname "$0")/facts.sh"
block -as AGT-003 COMPLETE MERGE three/mine.txt=created
