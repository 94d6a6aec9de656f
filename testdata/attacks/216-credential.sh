# title: ask git for a password
# class: remotes
# prevented: environment
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
printf 'protocol=https\nhost=example.com\n\n' | GIT_TERMINAL_PROMPT=0 git credential fill | grep password= && echo "GOT: a password"
