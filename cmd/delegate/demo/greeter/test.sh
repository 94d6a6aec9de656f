set -e
for t in tests/*.sh; do
	sh -e "$t"
	echo "ok $t"
done
