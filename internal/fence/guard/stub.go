package guard

import (
	"encoding/json"
	"strings"
)

// SubAgentStub is the text of a script that stands in the place of other agent programs: it reports the attempt and
// ends with exit code 1, whatever starts it. Such a program is started by its name, as the file that its interpreter is
// given, or as a module, so the text is a script of the shell, of JavaScript and of Python at once. Its arguments are
// absolute paths of this program and of a file that Policy.Write wrote.
//
//   - The first two lines are the shell's, which reads no further than its exit. To Python the second is a pair and
//     strings beside one another; to JavaScript it ends at the slashes.
//   - The third is Python's, behind a division that is a comment to JavaScript.
//   - What follows is JavaScript's, within a text of Python's. It waits for nothing where it need not: who loads it as
//     a module goes on meanwhile, and may end.
func SubAgentStub(program, policy string) string {
	quote := func(text string) string {
		data, _ := json.Marshal(text) // a string always has a form
		return strings.ReplaceAll(string(data), "'", `\u0027`)
	}
	words := []string{program, "hook", "subagent", policy}
	typed, quoted := make([]string, len(words)), make([]string, len(words))
	for i, word := range words {
		typed[i], quoted[i] = doubleQuoted(word), quote(word)
	}
	asked := strings.Join(quoted[1:], ", ")
	return shebang + `':' , 0 //1; ` + strings.Join(typed, " ") + ` "$0"; "exit" "1"
0 //1; import subprocess, sys; subprocess.call([` + quoted[0] + ", " + asked + `, globals().get("__file__", "python")]); sys.exit(1)
0 //1; r'''
const refuse = (child) => {
	const at = /(file:\/\/\/.+?):\d+:\d+/.exec(new Error().stack)
	const file = typeof __filename == "string" ? __filename : at ? decodeURIComponent(new URL(at[1]).pathname) : process.argv[1]
	child.spawnSync(` + quoted[0] + ", [" + asked + `, file || "node"], {stdio: "inherit"})
	process.exit(1)
}
const builtin = process.getBuiltinModule || (typeof require == "function" && require)
if (builtin) refuse(builtin("node:child_process"))
else import("node:child_process").then(refuse)
//'''
`
}

// doubleQuoted is a word that the shell takes by the letter, in the one form of quotes that other languages have too.
func doubleQuoted(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(word) + `"`
}
