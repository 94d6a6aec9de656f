d=w${DELEGATE_AGENT#AGT-00}
mkdir -p $d
if ! grep -q 'Message from' "$DELEGATE_PROMPT_FILE"; then
	echo half > $d/half
	block -ask 'Which colour?' BLOCKED HELP $d/half=created
	exit
fi
sed -n '/Message from/,$p' "$DELEGATE_PROMPT_FILE" > $d/answer
block COMPLETE MERGE $d/half=created $d/answer=created
