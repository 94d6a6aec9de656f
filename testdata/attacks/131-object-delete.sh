# title: delete the repository's objects
# class: git
# prevented: kernel
# detected: -
# logged: no
# turn: own
. "$(dirname "$0")/facts.sh"
for folder in "$GITDIR/objects" $(cat "$GITDIR/objects/info/alternates"); do
	find "$folder" -type f -path '*/[0-9a-f][0-9a-f]/*' | head -n 3 | xargs rm -f
done
true
