# title: print the form of a block as it is in the prompt
# class: records
# prevented: -
# detected: -
# logged: no
# where: turn
# gets: nothing: a form with placeholders is no block
. "$(dirname "$0")/facts.sh"
sed -n '/AGENT CHECKPOINT/,/Request/p' "$DELEGATE_PROMPT_FILE"
