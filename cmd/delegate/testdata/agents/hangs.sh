d=w${DELEGATE_AGENT#AGT-00}
mkdir -p $d
if grep -q 'Wake up' "$DELEGATE_PROMPT_FILE"; then
	echo woken > $d/woken
	block COMPLETE MERGE $d/woken=created
	exit
fi
sleep 300
