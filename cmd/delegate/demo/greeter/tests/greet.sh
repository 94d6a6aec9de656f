. lib/greet.sh
test "$(greet)" = "Hello"
