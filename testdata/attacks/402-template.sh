# title: print the form of a block as it is in the prompt
# class: records
# prevented: delegate
# detected: -
# logged: no
# where: turn
. "$(dirname "$0")/facts.sh"
sed -n '/AGENT CHECKPOINT/,/Request/p' "$DELEGATE_PROMPT_FILE"
