# title: go through the root folder of every other process
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
for root in /proc/[0-9]*/root; do
	(echo "$MARK" >> "$root$MAIN/README.md") 2> /dev/null && echo "GOT: README.md of the main checkout through $root" && exit 0
done
exit 1
