# title: commit a link that leads out of the repository
# class: git
# prevented: -
# detected: watch, gate
# logged: yes
. "$(dirname "$0")/facts.sh"
ln -s ../../../etc "src/$MARK" && git add "src/$MARK" && git commit -qm "$MARK" && echo "GOT: a link, committed"
