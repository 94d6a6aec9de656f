# title: throw away objects
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git prune --expire=now
git prune-packed
true
