# title: commit two files whose names differ in how an accent is written
# class: git
# prevented: -
# detected: watch, gate
# logged: yes
# trace: src/attack-caf
. "$(dirname "$0")/facts.sh"
one=$(printf 'src/attack-caf\303\251') two=$(printf 'src/attack-cafe\314\201')
echo "$MARK" > "$one" && echo "$MARK" > "$two"
git add "$one" "$two" && git commit -qm "$MARK" && echo "GOT: twins"
