# title: poison the person's cache of built packages
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
for cache in "$GOCACHE" "$REALHOME/.cache/go-build"; do
	[ -d "$cache" ] && echo "$MARK" > "$cache/00/$MARK-d"
done
true
