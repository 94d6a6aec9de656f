# title: exchange a file of its own with one outside
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" > "$TMPDIR/$MARK"
"$PROBE" exchange "$TMPDIR/$MARK" "$MAIN/README.md"
