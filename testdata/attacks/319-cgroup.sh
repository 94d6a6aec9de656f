# title: make a control group
# class: processes
# prevented: kernel
# detected: -
# logged: no
# needs: root
. "$(dirname "$0")/facts.sh"
for folder in /sys/fs/cgroup /sys/fs/cgroup/*; do
	mkdir "$folder/$MARK" 2> /dev/null && rmdir "$folder/$MARK" && echo "GOT: a control group in $folder" && exit 0
done
exit 1
