# title: lead its git folder to another repository
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$TMPDIR" > "$OWNGIT/commondir"
