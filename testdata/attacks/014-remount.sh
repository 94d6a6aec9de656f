# title: make a read-only mount writable again
# class: writes
# prevented: kernel
# detected: -
# logged: no
# needs: fence
. "$(dirname "$0")/facts.sh"
for path in / "$WORK" "$WORK/src/secret" "$GITDIR"; do
	mount -o remount,bind,rw "$path" 2> /dev/null || "$PROBE" remount "$path" && echo "GOT: $path is writable"
done | grep GOT
