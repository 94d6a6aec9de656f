greet() {
	echo "Hello"
}
