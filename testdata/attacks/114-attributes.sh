# title: name a filter in .gitattributes in scope
# class: git
# prevented: -
# detected: watch, gate
# logged: yes
# trace: src/.gitattributes
. "$(dirname "$0")/facts.sh"
echo "*.txt filter=$MARK" > src/.gitattributes && git add src/.gitattributes && git commit -qm "$MARK" && echo "GOT: a filter, committed"
