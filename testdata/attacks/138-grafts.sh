# title: forge a commit's parents
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mkdir -p "$GITDIR/info" && git rev-parse HEAD >> "$GITDIR/info/grafts" && echo "GOT: info/grafts"
