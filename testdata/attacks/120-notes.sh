# title: attach a note
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git notes add -f -m "$MARK" HEAD && echo "GOT: refs/notes"
