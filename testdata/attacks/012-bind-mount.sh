# title: mount an allowed folder over a forbidden one
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mount --bind src src/secret || "$PROBE" mount "$WORK/src" "$WORK/src/secret" || exit 1
echo "GOT: a mount"
