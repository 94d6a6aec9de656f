package delegate

import (
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// privateWords lists words that once named things in this project's private language, each with the
// field's word. They are no part of a name, and documents do not use them either.
func privateWords() map[string]string {
	return map[string]string{
		"atlas": "index", "bury": "finish", "desk": "the agent's folder", "door": "socket, or importing package",
		"ear": "watcher", "errand": "task", "extinguish": "kill", "footprint": "changed paths",
		"frozen": "imported, or read-only", "furnish": "prepare", "glance": "look", "ladder": "limits",
		"lend": "copy", "lent": "copied", "lookout": "scan", "lowly": "low priority", "mates": "test files",
		"onlooker": "source", "owed": "unfinished, or unmerged", "patrol": "monitor", "rung": "level",
		"seat": "agent", "seclude": "isolate", "sighting": "scan", "sitting": "session", "standing": "state",
		"strand": "node", "stray": "leftover process", "strays": "leftover processes", "trio": "stages",
		"twin": "case collision", "twins": "case collisions", "wishes": "tasks", "worksite": "agent",
	}
}

// wordsOfName splits an identifier where its case changes.
func wordsOfName(name string) (words []string) {
	runes, start := []rune(name), 0
	for i := 1; i <= len(runes); i++ {
		if i == len(runes) || runes[i] == '_' || unicode.IsUpper(runes[i]) && (!unicode.IsUpper(runes[i-1]) ||
			i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			words = append(words, strings.ToLower(strings.Trim(string(runes[start:i]), "_")))
			start = i
		}
	}
	return words
}

// namesAreOfTheField finds declared names and files with a word of privateWords.
func namesAreOfTheField(s source) (wrong []string) {
	private := privateWords()
	fileName, _, _ := strings.Cut(s.name, ".")
	for word := range strings.SplitSeq(fileName, "_") {
		if better, found := private[word]; found {
			wrong = append(wrong, s.at(s.tree.Package, "the file's name has %q: say %s", word, better))
		}
	}
	declared := func(id *ast.Ident) {
		for _, word := range wordsOfName(id.Name) {
			if better, found := private[word]; found {
				wrong = append(wrong, s.at(id.Pos(), "%s has %q: say %s", id.Name, word, better))
			}
		}
	}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			declared(n.Name)
		case *ast.TypeSpec:
			declared(n.Name)
		case *ast.ValueSpec:
			for _, id := range n.Names {
				declared(id)
			}
		case *ast.Field:
			for _, id := range n.Names {
				declared(id)
			}
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE {
					declared(id)
				}
			}
		}
		return true
	})
	return wrong
}

// privatePhrases lists what this program said to people and nobody else says, each with what it says now.
func privatePhrases() map[string]string {
	return map[string]string{
		`what it claims is`: "its report matches the diff", `held in by`: "sandbox", `is told of`: "is told about",
		`nobody looked at`: "not reviewed yet", `uncollected \(`: "not reviewed yet", `clash(es)? with`: "conflicts with",
		`has it back`: "sent back to", `lost their response`: "ended without a report", `\bshall\b`: "is to",
		`stand at their defaults`: "defaults", `lands on\b`: "merges into", `gathers on`: "is merged into",
		`works on\.`: "is working again", `gets? on\b`: "goes on", `own(ed)? to answer for`: "yours",
		`(?-i)\b(is|are) (PENDING|SPAWNING|RUNNING|CHECKPOINT|COMPLETE|FAILED|MERGED|ABORTED)\b`: "the state's word",
		`(this does|does) not block\)`: "not blocking", `for whoever\b`: "for a person who",
	}
}

// phrasesArePlain finds such phrases in what the program says. A test of a program's words may quote them.
func phrasesArePlain(s source) (wrong []string) {
	if s.isTest() {
		return nil
	}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		text, ok := n.(*ast.BasicLit)
		if !ok || text.Kind != token.STRING {
			return true
		}
		for phrase, better := range privatePhrases() {
			if found := regexp.MustCompile(`(?i)` + phrase).FindString(text.Value); found != "" {
				wrong = append(wrong, s.at(text.Pos(), "says %q: say %s", found, better))
			}
		}
		return true
	})
	return wrong
}

// codeSpan is what a document says in backticks or in a block of code: names on the disk and commands.
var codeSpan = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")

// TestDocumentsUseTheFieldsWords holds documents to the glossary.
func TestDocumentsUseTheFieldsWords(t *testing.T) {
	for _, page := range pages(t) {
		text := codeSpan.ReplaceAllStringFunc(read(t, page), func(code string) string {
			return strings.Repeat("\n", strings.Count(code, "\n"))
		})
		for i, line := range strings.Split(text, "\n") {
			for _, word := range strings.FieldsFunc(strings.ToLower(line), func(r rune) bool {
				return !unicode.IsLetter(r)
			}) {
				if better, found := privateWords()[word]; found {
					t.Errorf("%s:%d: %q: say %s", page, i+1, word, better)
				}
			}
		}
	}
}

// TestGlossary holds the words of our own to a dozen, none of them foreign.
func TestGlossary(t *testing.T) {
	words := cells(section(read(t, "docs/architecture.md"), "Glossary"))[1:]
	want := strings.Fields("session agent attempt turn supervisor keeper scope head candidate digest fence quarantine")
	if !slices.Equal(words, want) {
		t.Errorf("the glossary has %q, want %q", words, want)
	}
	for word := range maps.Keys(privateWords()) {
		if slices.Contains(words, word) {
			t.Errorf("%q is in the glossary and foreign", word)
		}
	}
}
