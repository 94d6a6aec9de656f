# title: set a value of the kernel (to what it is)
# class: writes
# prevented: kernel
# detected: -
# logged: no
# needs: root
. "$(dirname "$0")/facts.sh"
file=/proc/sys/kernel/printk_ratelimit_burst
value=$(cat $file) && echo "$value" > $file && echo "GOT: $file"
