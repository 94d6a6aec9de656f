# title: write the main checkout's HEAD as a file
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git rev-parse HEAD > "$GITDIR/HEAD" && echo "GOT: HEAD of the main checkout"
