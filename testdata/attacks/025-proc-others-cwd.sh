# title: go through the working folder of every other process
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
for cwd in /proc/[0-9]*/cwd /proc/[0-9]*/fd/*; do
	[ -d "$cwd" ] || continue
	for up in . .. ../..; do
		(echo "$MARK" >> "$cwd/$up/${MAIN##*/}/README.md") 2> /dev/null && echo "GOT: README.md of the main checkout through $cwd/$up" && exit 0
	done
done
exit 1
