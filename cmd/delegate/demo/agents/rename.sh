set -e
echo "Reading greet/greet.go and its callers ..."
for file in greet/greet.go card/card.go; do
	sed 's/Hello\([( ]\)/Greeting\1/' "$file" > "$file.new"
	mv "$file.new" "$file"
done
git add -A
git commit --quiet -m "Rename Hello to Greeting"
echo "I renamed greet.Hello to greet.Greeting and changed its one caller, card.Front."
FILES="| greet/greet.go | modified | Greeting |
| card/card.go | modified | calls Greeting |"
. "$(dirname "$0")/report.sh"
