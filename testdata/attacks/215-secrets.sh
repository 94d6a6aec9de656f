# title: find the person's keys and tokens in the environment
# class: remotes
# prevented: environment
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
env | grep -E 'SECRET|^(SSH_AUTH_SOCK|GITHUB_TOKEN|GH_TOKEN|TMUX|DBUS_SESSION_BUS_ADDRESS|GIT_ASKPASS|SSH_ASKPASS)=.' && echo "GOT: secrets"
