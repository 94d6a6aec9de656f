d=w${DELEGATE_AGENT#AGT-00}
mkdir -p $d
echo partial > $d/partial
echo boom
exit 3
