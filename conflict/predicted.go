package conflict

// Predicted is the finding for two scopes that can meet, before anyone wrote anything. The witness
// is a path that both may write, existing or not.
func Predicted(a, b, witness string) Finding {
	return Finding{
		Type: FileConflict, Severity: Warning, Certainty: Suspected, Agents: []string{a, b},
		Message: "Conflict-prone: " + a + " and " + b + " may both write " + quoted(witness) + ".",
		Advice:  "Narrow one of the scopes, or let one depend on the other.",
		Places:  []Place{{Agent: a, Path: witness}, {Agent: b, Path: witness}},
	}
}
