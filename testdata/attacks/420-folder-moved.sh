# title: put a link in place of its folder
# class: records
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mv "$DESK" "$DESK-$MARK" && ln -s "$MAIN" "$DESK" && echo "GOT: its desk leads to the main checkout"
