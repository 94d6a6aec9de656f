# title: commit a file that is another one where case does not count
# class: git
# prevented: -
# detected: watch, gate
# logged: yes
# trace: src/APP.txt
. "$(dirname "$0")/facts.sh"
echo "$MARK" > src/APP.txt && git add src/APP.txt && git commit -qm "$MARK" && echo "GOT: src/APP.txt beside src/app.txt"
