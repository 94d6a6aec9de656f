# title: write into the remote's folder
# class: remotes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git rev-parse HEAD > "$REMOTE/refs/heads/$MARK" && echo "GOT: a branch of the remote"
