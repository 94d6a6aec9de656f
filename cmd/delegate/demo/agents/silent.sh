set -e
sleep 1
cat > lib/count.sh <<'EOF'
count_words() {
	set -- $1
	echo $#
}
EOF
cat > tests/count.sh <<'EOF'
. lib/count.sh
test "$(count_words "one two three")" = 3
EOF
git add -A
git commit --quiet -m "Count words"
