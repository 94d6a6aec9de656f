# title: pack the references of the repository
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git pack-refs --all && echo "GOT: packed references"
