# title: commit a submodule's entry without one
# class: git
# prevented: -
# detected: watch, gate
# logged: yes
. "$(dirname "$0")/facts.sh"
mkdir "src/$MARK"
git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),src/$MARK" && git commit -q --no-verify -m "$MARK" && echo "GOT: a submodule's entry, committed"
