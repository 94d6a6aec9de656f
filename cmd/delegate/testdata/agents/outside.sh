mkdir -p w1 lib
echo fine > w1/made
echo committed > lib/committed
git add lib
git commit -q --no-verify -m 'Out of scope'
echo left > lib/left
block COMPLETE MERGE w1/made=created lib/committed=created lib/left=created
