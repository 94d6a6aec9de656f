# title: leave a program on its desk that runs with its owner's rights
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
cp /bin/sh "$DESK/$MARK" && chmod 4755 "$DESK/$MARK" && [ -u "$DESK/$MARK" ] && echo "GOT: a setuid shell"
