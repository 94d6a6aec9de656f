package conflict

// Predicted returns the finding for two agents, a and b, whose scopes overlap, before they start. The witness is a path
// that both may write, as scope.Overlap returns it.
func Predicted(a, b, witness string) Finding {
	return Finding{
		Type: FileConflict, Severity: Warning, Certainty: Suspected, Agents: []string{a, b},
		Message: "Conflict-prone: " + a + " and " + b + " may both write " + quoted(witness) + ".",
		Advice:  "Narrow one of the scopes, or let one depend on the other.",
		Places:  []Place{{Agent: a, Path: witness}, {Agent: b, Path: witness}},
	}
}
