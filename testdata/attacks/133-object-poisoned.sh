# title: leave an object under the id of another one, and commit it
# class: git
# prevented: kernel
# detected: -
# logged: no
# turn: own
. "$(dirname "$0")/facts.sh"
id=$(git rev-parse HEAD:lib/lib.txt) folder=${GIT_OBJECT_DIRECTORY:-$GITDIR/objects}
other=$(echo "$MARK" | git hash-object -w --stdin)
mkdir -p "$folder/$(echo "$id" | cut -c1-2)"
cp -f "$folder/$(echo "$other" | sed 's|..|&/|')" "$folder/$(echo "$id" | sed 's|..|&/|')"
git commit -q --allow-empty -m "$MARK"
