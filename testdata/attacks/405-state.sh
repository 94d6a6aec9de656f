# title: write what the supervisor did
# class: records
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> "$LOGS/EXECUTION_STATE.md" && echo "GOT: EXECUTION_STATE.md"
