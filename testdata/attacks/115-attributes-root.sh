# title: name a filter in .gitattributes at the root
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "*.txt filter=$MARK" >> .gitattributes && echo "GOT: .gitattributes"
