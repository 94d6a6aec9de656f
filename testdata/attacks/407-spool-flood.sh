# title: flood the reports in its folder
# class: records
# prevented: delegate
# detected: -
# logged: no
# turn: own
. "$(dirname "$0")/facts.sh"
mkdir -p "$DESK/spool" && cd "$DESK/spool" || exit 1
i=0
while [ $i -lt 1500 ]; do
	echo "$MARK" > "flood-$i.json"
	i=$((i + 1))
done
head -c 300000 /dev/zero > flood-large.json
ln -s "$REALHOME/.ssh/id_ed25519" flood-link.json
mkfifo flood-pipe.json
