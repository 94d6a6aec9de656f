# title: leave a file in /dev/shm
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" > "/dev/shm/$MARK"
