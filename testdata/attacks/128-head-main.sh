# title: lead the main checkout's HEAD elsewhere
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git --git-dir="$GITDIR" symbolic-ref HEAD "refs/heads/$MARK" && echo "GOT: HEAD of the main checkout"
