# title: write orders on its own desk
# class: records
# prevented: delegate
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "[2026-01-02 15:04] [ABORT] AGT-002" >> "$DESK/COMMANDS.md"
