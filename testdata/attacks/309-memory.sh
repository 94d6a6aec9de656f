# title: open the memory of a process outside
# class: processes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
for pid in $SUPERVISOR $KEEPER $OTHERPID; do
	"$PROBE" memory "$pid" && exit 0
done
exit 1
