package conflict

import "strings"

// form is one kind of finding in words. In braces stand the names of what a finding is about: {by} and {user} are its
// sides, {at} the places of the uses, and others are given with the finding.
type form struct {
	typ Type
	// says is the message; edit says what to change, "" if only the finding knows.
	says, edit string
	// runtime findings are about what a program does and not whether it compiles, so that no checker refutes them.
	runtime bool
}

// The forms of what the analyzers suspect, a line or two each.
var (
	brokenUse = form{typ: APIConflict, says: "{by} {did}, and new code of {user} {does} it."}
	oldForm   = form{typ: APIConflict, says: "{by} {did}, and new code of {user} makes a value in the old form.",
		edit: "{edit} at {at}."}
	lacksMember = form{typ: APIConflict, edit: "Add {what} to {type} at {at}.",
		says: "{by} {did}, which implementers need, and the new {type} of {user} lacks it."}
	overridesOld = form{typ: APIConflict, says: "{by} {did}, and the new {name} of {user} overrides it."}
	matchesRest  = form{typ: APIConflict,
		says: "{by} {did}, and new code of {user} matches all other members and not this one.",
		edit: "Match {what} as well at {at}."}
	oldFunction = form{typ: APIConflict, edit: "{edit} at {at}.",
		says: "{by} {did}, and new code of {user} passes a function of the old form for it."}
	definedTwice = form{typ: APIConflict, says: "{by} and {user} both define {what}; there can be only one.",
		edit: "Rename or remove one of the two: {mine}, {at}."}
	namedTwice = form{typ: APIConflict, says: "{by} adds {what} and {user} adds {other}; only one can have the name.",
		edit: "Rename or remove one of the two: {mine}, {at}."}

	otherException = form{typ: APIConflict, runtime: true, edit: "Catch {now} at {at}.",
		says: "{what} of {by} throws {now} instead of {gone}, and new code of {user} catches only {gone}."}
	throwsForNothing = form{typ: APIConflict, runtime: true, edit: "Catch what {name} throws at {at}.",
		says: "{what} of {by} throws instead of returning nothing, and new code of {user} tests for nothing."}
	nothingForThrows = form{typ: APIConflict, runtime: true, edit: "Test whether {name} returned nothing at {at}.",
		says: "{what} of {by} returns nothing instead of throwing, and new code of {user} only catches."}
	wrapsError = form{typ: APIConflict, runtime: true, edit: "Use errors.Is for {name} at {at}.",
		says: "{what} of {by} wraps {name}, and new code of {user} compares with it."}
	otherError = form{typ: APIConflict, runtime: true, edit: "Ask for the error that {of} returns at {at}.",
		says: "{what} of {by} returns another error in place of {name}, and new code of {user} asks for it."}
	otherValues = form{typ: APIConflict, runtime: true, edit: "Take ({is}) from {name} at {at}.",
		says: "{what} of {by} returns ({is}) instead of ({was}), and new code of {user} unpacks the result."}
	severalValues = form{typ: APIConflict, runtime: true, edit: "Take ({is}) from {name} at {at}.",
		says: "{what} of {by} returns ({is}) instead of one value, and new code of {user} uses the result."}
	keysForValues = form{typ: APIConflict, runtime: true, edit: "Read the keys of what {name} returns at {at}.",
		says: "{what} of {by} returns the keys ({is}) instead of ({was}), and new code of {user} unpacks the result."}
	lostKey = form{typ: APIConflict, runtime: true, edit: "{edit} at {at}.",
		says: "{what} of {by} no longer returns the key {key}, and new code of {user} reads it."}

	lostBinding = form{typ: ImportConflict,
		says: "{by} removes the import of {what}, and new code of {user} in the same file uses it."}
	rebound = form{typ: ImportConflict,
		says: "{by} gives the name of the import of {what} to {other}, and new code of {user} uses {name}."}
	renamedImport = form{typ: ImportConflict,
		says: "{by} imports {what} as {now} instead of {name}, and new code of {user} in the file uses {name}."}
	lostOpening = form{typ: ImportConflict, edit: "Import {what}{again} in {file}.",
		says: "{by} removes the import of {what}, and new code of {user} {where} uses what comes through it."}
	goneFile  = form{typ: ImportConflict, says: "{by} {did}, and {user} newly imports it.", edit: "{edit} at {at}."}
	goneThere = form{typ: ImportConflict,
		says: "{by} removes the import of {what}, and {user} newly takes it from there."}
	goneDefault = form{typ: ImportConflict,
		says: "{by} removes the default export of {what}, and {user} newly imports it."}
	circle = form{typ: ImportConflict, says: "{by} and {user} together make a cycle of imports: {way}.",
		edit: "Remove one of the imports, {at} or {mine}: what both need can be in a file of its own."}
	lostRequirement = form{typ: ImportConflict, says: "{by} no longer requires {what}, and {user} newly imports it."}

	goneKey = form{typ: APIConflict, runtime: true, edit: "{edit} at {at}.",
		says: "{by} {did} everywhere, and new code of {user} uses {what}."}
	goneName = form{typ: APIConflict, runtime: true, edit: "{edit} at {at}.",
		says: "{by} removes {what}, and {user} newly refers to it."}
	goneColumn = form{typ: APIConflict, runtime: true, edit: "Write the query without {what} at {at}.",
		says: "{by} drops {what} from the database, and a new query of {user} needs it."}
	neededColumn = form{typ: APIConflict, runtime: true, edit: "Give {column} a value at {at}.",
		says: "{by} requires a value of {what} in each row, and {user} newly writes a row without."}
	lostText = form{typ: APIConflict, runtime: true, edit: "Look for the new text at {at}.",
		says: "{by} removes the text {what} everywhere, and new code of {user} looks for it."}
	gonePath = form{typ: ImportConflict, runtime: true, says: "{by} {did}, and {user} newly writes its path.",
		edit: "{edit} at {at}."}
	goneDotted = form{typ: APIConflict, runtime: true, says: "{by} {did}, and {user} newly names it in a string."}

	sameTest   = form{typ: TestConflict, says: "{by} and {user} both change the test {what}."}
	testedBody = form{typ: TestConflict,
		says: "{by} {did}, which the test {test} of {user} calls and was not written for."}
	unreadFile = form{typ: APIConflict,
		says: "It is not known what {by} does to {what} ({why}), and new code of {user} refers to it."}
)

// editWords are what an edit does, and what its uses have to do.
type editWords struct{ did, do string }

// editTable has the words for the edits, by their kinds or parts of them.
func editTable() map[EditKind]editWords {
	return map[EditKind]editWords{
		Removed:         {"removes {what}", "Replace or remove {old}"},
		"derived":       {"no longer derives {trait} for {owner}", "Implement {trait} for {owner}, or remove the use"},
		Renamed:         {"renames {what} to {new}", "{use} {new} in place of {old}"},
		Moved:           {"moves {what} to {file}", "Take {old} from {file}"},
		"moved package": {"moves {what} to the {package} {newPackage}", "Take {old} from the {package} {newPackage}"},
		KindChanged:     {"turns {what} into {kind}", "Use {new} as {kind}"},
		ParamsChanged:   {"changes {what} from ({params}) to ({newParams})", ""},
		ResultChanged:   {"changes the result of {what} from {result}", "Expect {newResult} from {old}"},
		TypeChanged:     {"changes the type of {what} from {type}", "Use {old} as {newType}"},
		Unexported:      {"narrows the visibility of {what}", "Replace or remove {old}, which is not visible there"},
		"hidden":        {"makes {what} {visibility}", "Replace or remove {old}, which is not visible there"},
		AsyncChanged:    {"makes {what} asynchronous", "Await {old}"},
		"synchronous":   {"makes {what} no longer asynchronous", "Do not await {old}"},
		MadeReadOnly:    {"makes {what} read-only", "Do not set {old}"},
		MadeFinal:       {"makes {what} final", "Do not build on {old}"},
		"sealed":        {"makes {what} sealed", "Add what builds on {old} to those that it permits"},
		NoLongerStatic:  {"makes {what} no longer static", "Call {old} on a value"},
		ThrowsChanged:   {"lets {what} throw {thrown}", "Catch or declare {thrown} of {old}"},
		TypeParamsChanged: {"changes the type parameters of {what} from {typeParams} to {newTypeParams}",
			"Give {old} the type parameters {newTypeParams}"},
		ReceiverChanged: {"", "Call {old} on a value that can be changed or moved"},
	}
}

// fill puts words, each behind its name, in place of the names in braces.
func fill(text string, words []string) string {
	pairs := make([]string, len(words))
	for i, word := range words {
		if pairs[i] = word; i%2 == 0 {
			pairs[i] = "{" + word + "}"
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// tell notes a finding of a form about uses of what the side By has at a place, unless there are none. What it returns
// can be changed until the next call.
func (c *Direction) tell(of form, at Place, uses []Use, words ...string) *Finding {
	if len(uses) == 0 {
		return &Finding{}
	}
	words = append(words, "by", c.by.set.Name, "user", c.user.set.Name, "at", placesOf(uses))
	f := c.suspicion(of.typ, at, uses, fill(of.says, words))
	f.runtimeOnly = of.runtime
	f.instruct(fill(of.edit, words))
	c.found = append(c.found, f)
	return &c.found[len(c.found)-1]
}

// initial begins a sentence with the text.
func initial(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// listed are values as they stand in a sentence.
func listed(values []string) string { return brief(strings.Join(values, ", ")) }
