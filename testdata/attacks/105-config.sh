# title: have git run a program by the repository's configuration
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git config core.fsmonitor "touch $MAIN/$MARK" && echo "GOT: the repository's configuration"
