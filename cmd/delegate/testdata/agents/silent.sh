d=w${DELEGATE_AGENT#AGT-00}
mkdir -p $d
echo made > $d/made
