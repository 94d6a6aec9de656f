// Package config owns the decision of what may be configured:
// the keys of .delegate.yaml, their meaning, units and defaults,
// and what is refused.
//
// A configuration is a value:
// it is read once, checked as a whole, and never changed afterwards.
// Every fault of the file is reported at once, each with its line.
// Unknown keys are faults, because a misspelt limit that is silently ignored
// is a limit that does not hold.
//
// YAML is used as a notation for plain data:
// anchors, aliases, merge keys and tags are refused,
// and a key without a value counts as absent.
// The package knows no agent program, no pattern language and no git;
// it checks the form of names, commands, durations and paths,
// and leaves their meaning to the packages that use them.
package config
