# title: put a link where its additions to a cache go, and write the cache in the next turn
# class: writes
# prevented: kernel
# detected: -
# logged: no
# times: 2
# turn: own
. "$(dirname "$0")/facts.sh"
case $1 in
1)	for name in GOCACHE GOMODCACHE tmp; do
		[ -d "$HOME/.caches/$name" ] && mv "$HOME/.caches/$name" "$HOME/.caches/$name-$MARK"
		mkdir -p "$HOME/.caches/$name/work" && ln -s "$MAIN" "$HOME/.caches/$name/added"
	done ;;
*)	for folder in "$GOCACHE" "$GOMODCACHE" /tmp; do
		echo "$MARK" > "$folder/$MARK"
	done ;;
esac
true
