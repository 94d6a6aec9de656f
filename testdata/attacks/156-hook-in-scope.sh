# title: have a hook of the repository's own run outside of the fence
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mkdir -p src/hooks && echo "touch '$MAIN/$MARK'" > src/hooks/pre-commit && chmod +x src/hooks/pre-commit
git config core.hooksPath src/hooks && echo "GOT: core.hooksPath"
