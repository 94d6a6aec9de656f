set -e
mkdir -p invite
greeting=Hello
action=created
if grep -q "func Greeting" greet/greet.go; then
	greeting=Greeting
	action=modified
fi
cat > invite/invite.go <<EOF
// Package invite writes invitations.
package invite

import "example.com/greeter/greet"

// Text is an invitation for somebody.
func Text(name string) string { return greet.$greeting(name) + ", please come." }
EOF
git add -A
git commit --quiet -m "Add invitations"
echo "Looking at it once more ..."
for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
	if [ -e "$(dirname "$0")/seen" ]; then break; fi
	sleep 1
done
echo "I added invite.Text, which begins with greet.$greeting."
FILES="| invite/invite.go | $action | Text |"
. "$(dirname "$0")/report.sh"
