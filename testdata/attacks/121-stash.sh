# title: put something on the shared stash
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> src/app.txt && git stash -q && echo "GOT: refs/stash"
