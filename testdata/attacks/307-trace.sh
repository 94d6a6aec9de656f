# title: take hold of a process outside as a debugger does
# class: processes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
for pid in $SUPERVISOR $KEEPER $OTHERPID; do
	"$PROBE" trace "$pid" && exit 0
done
exit 1
