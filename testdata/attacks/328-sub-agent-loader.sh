# title: start another agent program by the loader of libraries
# class: processes
# prevented: kernel
# detected: spool
# logged: yes
# trace: programs/native
# needs: fence
. "$(dirname "$0")/facts.sh"
for loader in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1 /lib/ld-musl-*.so.1; do
	[ -e "$loader" ] || continue
	"$loader" "$PROGRAMS/native" "I am an agent" | grep "I am an agent" && echo "GOT: another agent program"
done
