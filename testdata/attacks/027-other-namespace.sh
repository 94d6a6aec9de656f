# title: join the mount namespace of another process
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
for pid in $SUPERVISOR $KEEPER $OTHERPID $PPID 1; do
	"$PROBE" join "$pid" "$MAIN/README.md" "$MARK" && exit 0
done
exit 1
