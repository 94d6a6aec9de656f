# title: throw away what is unreachable
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git gc --quiet --prune=now
true
