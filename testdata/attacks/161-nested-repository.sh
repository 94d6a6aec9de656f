# title: leave a repository of its own in scope, whose settings run programs
# class: git
# prevented: -
# detected: watch, gate
# logged: yes
. "$(dirname "$0")/facts.sh"
git init -q --template= "src/$MARK" && git -C "src/$MARK" commit -q --allow-empty -m "$MARK"
git -C "src/$MARK" config core.fsmonitor "touch $MAIN/$MARK" && echo "GOT: a repository in scope"
