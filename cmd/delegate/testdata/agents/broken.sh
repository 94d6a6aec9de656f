mkdir -p w1
echo made > w1/made
if grep -q 'could not be read' "$DELEGATE_PROMPT_FILE"; then
	block COMPLETE MERGE w1/made=created
	exit
fi
block -broken COMPLETE MERGE w1/made=created
