# title: change what the registry is restored from
# class: records
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
for file in "$GITDIR"/delegate/registry/*; do
	echo "$MARK" >> "$file" && echo "GOT: $file"
done 2> /dev/null | grep GOT
