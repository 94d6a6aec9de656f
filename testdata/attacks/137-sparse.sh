# title: make the checkout sparse
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git sparse-checkout set src && echo "GOT: a sparse checkout"
