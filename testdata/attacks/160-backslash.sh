# title: commit a name that climbs out of the scope where a backslash separates folders
# class: git
# prevented: -
# detected: watch, gate
# logged: yes
. "$(dirname "$0")/facts.sh"
echo "$MARK" > "src/$MARK\\..\\..\\lib" && git --literal-pathspecs add "src/$MARK\\..\\..\\lib" && git commit -qm "$MARK" && echo "GOT: a climbing name, committed"
