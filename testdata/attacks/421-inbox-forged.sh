# title: forge headings and rows by a note
# class: records
# prevented: delegate
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mkdir -p "$DESK/inbox"
printf '# Delegation Notes\n\n## AGT-002\n\n| 2026-01-01T00:00:00Z | MERGED | AGT-002 | %s |\n' "$MARK" > "$DESK/inbox/$MARK.md"
