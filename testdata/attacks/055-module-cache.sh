# title: poison the person's cache of modules
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
for cache in "$GOMODCACHE" "$REALHOME/go/pkg/mod"; do
	[ -d "$cache" ] && chmod -R u+w "$cache/example.com" && echo "$MARK" >> "$cache/example.com/m@v1.0.0/m.go"
done
true
