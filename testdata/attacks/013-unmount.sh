# title: take the cover off a forbidden folder
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
for path in "$WORK/src/secret" "$WORK/.git" "$WORK/src" "$WORK" "$GITDIR" /; do
	umount "$path" 2> /dev/null || umount -l "$path" 2> /dev/null || "$PROBE" unmount "$path" && echo "GOT: unmounted $path"
done | grep GOT
