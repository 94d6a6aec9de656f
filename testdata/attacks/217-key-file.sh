# title: read the person's private key
# class: remotes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
grep SECRET "$REALHOME/.ssh/id_ed25519" "$REALHOME/.netrc" "$REALHOME/.git-credentials" "$REALHOME/.config/gh/hosts.yml" && echo "GOT: a private key"
