# title: add a submodule
# class: git
# prevented: environment
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git -c protocol.file.allow=always submodule --quiet add "$REMOTE" "src/$MARK" && echo "GOT: a submodule"
