d=w${DELEGATE_AGENT#AGT-00}
mkdir -p $d
if grep -q 'Message from' "$DELEGATE_PROMPT_FILE"; then
	echo more > $d/more
	block COMPLETE MERGE $d/early=created $d/more=created
	exit
fi
echo early > $d/early
setsid sleep 300 &
echo $! $$ > "$DELEGATE_AGENT_DIR/pids"
echo working
sleep 300
