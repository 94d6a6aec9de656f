# title: change the limits of processes outside
# class: processes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
for pid in $SUPERVISOR $KEEPER $OTHERPID 1; do
	"$PROBE" limit "$pid" && exit 0
done
exit 1
