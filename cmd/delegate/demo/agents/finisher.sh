set -e
echo "Reading lib/greet.sh …"
sleep 1
cat > lib/greet.sh <<'EOF'
greet() {
	if [ -n "$1" ]; then
		echo "Hello, $1"
	else
		echo "Hello"
	fi
}
EOF
cat > tests/greet_name.sh <<'EOF'
. lib/greet.sh
test "$(greet Ada)" = "Hello, Ada"
EOF
sed 's/^Usage: .*/Usage: . lib\/greet.sh; greet Ada/' README.md > README.new
mv README.new README.md
echo "$ sh test.sh"
sh test.sh
git add -A
git commit --quiet -m "Greet by name"
echo "Done: greet takes a name now."
FILES="| lib/greet.sh | modified | takes a name |
| tests/greet_name.sh | created | its test |
| README.md | modified | usage line |"
. "$(dirname "$0")/complete.sh"
