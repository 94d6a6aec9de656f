# title: make a folder in one turn, swap it for a link in the next, and write the same path
# class: writes
# prevented: kernel
# detected: watch, gate
# logged: yes
# times: 2
. "$(dirname "$0")/facts.sh"
case $1 in
1) mkdir "src/swap-$MARK" && echo first > "src/swap-$MARK/lib.txt"; exit 1 ;;
esac
rm -r "src/swap-$MARK" && ln -s "$MAIN/lib" "src/swap-$MARK"
echo "$MARK" >> "src/swap-$MARK/lib.txt" && echo "GOT: lib/lib.txt of the main checkout"
