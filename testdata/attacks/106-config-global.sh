# title: have git run a program by the person's configuration
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git config --file "$REALHOME/.gitconfig" core.fsmonitor "touch $MAIN/$MARK" && echo "GOT: the person's configuration"
