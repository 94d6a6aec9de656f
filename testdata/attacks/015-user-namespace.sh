# title: enter a user and mount namespace of its own and mount there
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
unshare -Urm sh -c 'mount --bind "$0/src" "$0/src/secret" && echo "$1" > "$0/src/secret/key.txt"' "$WORK" "$MARK" && echo "GOT: a mount in a namespace"
