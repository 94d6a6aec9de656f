# title: kill its own keeper
# class: processes
# prevented: kernel
# detected: -
# logged: no
# turn: own
. "$(dirname "$0")/facts.sh"
for pid in 1 $PPID; do
	case $(tr '\0' ' ' < /proc/$pid/cmdline) in
	*__keeper*) kill -9 "$pid" && sleep 0.2 && ! kill -0 "$pid" && echo "GOT: the keeper" && exit 0 ;;
	esac
done
exit 1
