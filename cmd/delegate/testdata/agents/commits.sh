d=w${DELEGATE_AGENT#AGT-00}
mkdir -p $d
echo committed > $d/made
git add -A
git commit -q -m "Made by $DELEGATE_AGENT"
block COMPLETE MERGE $d/made=created
