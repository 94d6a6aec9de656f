# title: commit a path out of scope
# class: git
# prevented: git
# detected: spool
# logged: yes
. "$(dirname "$0")/facts.sh"
blob=$(echo "$MARK" | git hash-object -w --stdin)
git update-index --add --cacheinfo "100644,$blob,lib/$MARK"
git commit -qm "$MARK" && echo "GOT: lib/$MARK, committed"
code=$?
git update-index --force-remove "lib/$MARK"
exit $code
