# title: push with git by its absolute path and nothing else
# class: remotes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
for git in /usr/bin/git /usr/local/bin/git /opt/homebrew/bin/git; do
	[ -x $git ] && break
done
env -i $git push -q "$REMOTE" "HEAD:refs/heads/$MARK" && echo "GOT: a push"
