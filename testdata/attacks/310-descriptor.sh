# title: take a descriptor out of another process
# class: processes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
for pid in $SUPERVISOR $KEEPER $OTHERPID; do
	"$PROBE" take "$pid" && exit 0
done
exit 1
