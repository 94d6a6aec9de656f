cat <<EOF
═══════════════════════════════════════
AGENT CHECKPOINT: $DELEGATE_AGENT
═══════════════════════════════════════

Status: COMPLETE
Progress: 100%

## Changes Made
| File | Action | Description |
|------|--------|-------------|
$FILES

## Tests Run
- Executed: Y
- Result: PASS
- Failed: None

## Blockers
None

## Questions for Parent
None

## Request
MERGE

═══════════════════════════════════════
EOF
