# title: have the person's tmux run a command
# class: writes
# prevented: kernel
# detected: -
# logged: no
# needs: tmux
. "$(dirname "$0")/facts.sh"
tmux -S "$TMUXSOCKET" run-shell "touch '$MAIN/$MARK'" && echo "GOT: a command in the person's tmux"
