# title: plant a program in a folder of PATH
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
folder=$(dirname "$(command -v delegate)")
echo "$MARK" > "$folder/$MARK" && echo "GOT: $folder/$MARK"
