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
- Executed: N
- Result: SKIPPED
- Failed: None

## Blockers
None

## Questions for Parent
None

## Request
MERGE

═══════════════════════════════════════
EOF
