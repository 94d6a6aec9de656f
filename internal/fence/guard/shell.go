package guard

import (
	"path"
	"slices"
	"strings"
)

// refused is the rule that a simple command breaks, and why it is one; "" if it breaks none. agents
// are the names under which agent programs are started.
func refused(words []string, agents map[string]bool) (rule, why string) {
	if len(words) == 0 {
		return "", ""
	}
	switch name, args := programName(words[0]), words[1:]; name {
	case "git":
		return refusedGit(args)
	case "delegate":
		if verb := operand(args); !slices.Contains([]string{"hook", "status", "show", "list", "logs", "diff", "wait"},
			verb) {
			return strings.TrimSpace("delegate " + verb),
				"it is for the person who started you; say in a checkpoint what you need"
		}
	default:
		if agents[name] {
			return name, noAgents
		}
	}
	return "", ""
}

// operand is the first word that is no option; "" if there is none.
func operand(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

func refusedGit(args []string) (rule, why string) {
	args = options(args, "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix",
		"--attr-source")
	if len(args) == 0 {
		return "", ""
	}
	verb, args := args[0], args[1:]
	switch next := operand(args); verb {
	case "push", "send-pack":
		return "git " + verb, "commit on your branch; a person lands it from there"
	case "worktree":
		if next == "add" {
			return "git worktree add", "work in the worktree you were given"
		}
	case "remote":
		if next == "add" || next == "set-url" {
			return "git remote " + next, "the remotes belong to the person's repository"
		}
	case "config":
		if key := written(args); key != "" {
			return "git config " + key, "the configuration belongs to the person's repository"
		}
	}
	return "", ""
}

// options cuts the options off that stand before the first operand; those named take a word of their own.
func options(args []string, valued ...string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		takes := slices.Contains(valued, args[0])
		args = args[1:]
		if takes && len(args) > 0 {
			args = args[1:]
		}
	}
	return args
}

// written is the key with which these words of git config would make git run something else in the
// repository; "" if they do not.
func written(args []string) string {
	if slices.ContainsFunc(args, func(option string) bool { // it reads, or writes to the agent's own home
		return slices.Contains([]string{"--global", "-l", "--list"}, option) || strings.HasPrefix(option, "--get")
	}) {
		return ""
	}
	writes := slices.ContainsFunc(args, func(option string) bool {
		return slices.Contains([]string{"--add", "--unset", "--unset-all", "--replace-all", "--remove-section",
			"--rename-section"}, option)
	})
	var operands []string
	for args = optionsOfConfig(args); len(args) > 0; args = optionsOfConfig(args[1:]) {
		operands = append(operands, args[0])
	}
	if len(operands) > 0 {
		switch operands[0] {
		case "get", "list":
			return ""
		case "set", "unset", "remove-section", "rename-section":
			writes, operands = true, operands[1:]
		}
	}
	if len(operands) == 1 && !writes {
		return "" // a key alone is read
	}
	for _, key := range operands[:min(1, len(operands))] {
		section, _, _ := strings.Cut(strings.ToLower(key), ".")
		if slices.Contains([]string{"hook", "filter", "alias", "credential"}, section) ||
			strings.EqualFold(key, "core.hooksPath") {
			return key
		}
	}
	return ""
}

func optionsOfConfig(args []string) []string {
	return options(args, "-f", "--file", "--blob", "--type", "--default", "--comment", "--value", "--url")
}

// decideShell judges every simple command of a shell text by its plain words.
func decideShell(text string) (Verdict, error) {
	return newBudget().decide(text, 0)
}

// decide judges a text that stands in so many shells.
func (b *budget) decide(text string, depth int) (Verdict, error) {
	if depth > maxDepth {
		return Verdict{}, errOpen
	}
	commands, err := b.split(text)
	if err != nil {
		return Verdict{}, err
	}
	for _, c := range commands {
		words, inner := unwrap(c)
		if rule, why := refused(words, b.agents); rule != "" {
			return Verdict{Pattern: rule, Reason: rule + " is refused: " + why}, nil
		}
		if inner == "" {
			continue
		}
		if v, err := b.decide(inner, depth+1); err != nil || !v.Allowed {
			return v, err
		}
	}
	return Verdict{Allowed: true}, nil
}

// unwrap takes off what only starts another command. What is left is the words of that command, or
// shell text that it runs.
func unwrap(c command) (words []string, inner string) {
	words = skipAssignments(c.words)
	for len(words) > 0 {
		name, args := programName(words[0]), words[1:]
		switch {
		case name == "eval":
			return nil, strings.Join(args, " ")
		case slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "ash"}, name):
			return nil, shellText(args, c.input)
		}
		w, found := wrapperNamed(name)
		if !found {
			return words, ""
		}
		if words, inner = w.strip(args); inner != "" {
			return nil, inner
		}
	}
	return nil, ""
}

// programName is a command word without its folder and version, as in ./node_modules/.bin/codex and
// @openai/codex@latest.
func programName(word string) string {
	name, _, _ := strings.Cut(path.Base(word), "@")
	return strings.TrimSuffix(name, ".exe")
}

func skipAssignments(words []string) []string {
	for len(words) > 0 && isAssignment(words[0]) {
		words = words[1:]
	}
	return words
}

func isAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	name = strings.TrimSuffix(name, "+")
	return found && name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '[' && r != ']' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	})
}

// shellText is what a shell runs that is started with these words: the text behind -c, or its
// here-document; "" if that is a file.
func shellText(args []string, input *string) string {
	isText := false
	for len(args) > 0 && len(args[0]) > 1 && (args[0][0] == '-' || args[0][0] == '+') {
		option := args[0]
		args = args[1:]
		if option == "--" {
			break
		}
		isLong := strings.HasPrefix(option, "--")
		isText = isText || !isLong && option[0] == '-' && strings.Contains(option, "c")
		if takes := option == "--rcfile" || option == "--init-file" ||
			!isLong && strings.ContainsAny(option, "oO"); takes && len(args) > 0 {
			args = args[1:]
		}
	}
	switch {
	case isText && len(args) > 0:
		return args[0]
	case input != nil && (len(args) == 0 || args[0] == "-"):
		return *input
	}
	return ""
}

// wrapper is a program that runs the command behind its own words.
type wrapper struct {
	valued string   // letters of the options that take the next word
	long   []string // long options that do
	text   string   // options whose value is shell text
	names  string   // options with which nothing runs
	fixed  int      // words that stand before the command
	sets   bool     // assignments may stand before it
}

// wrapperNamed is a switch, as it is asked at each command of a text that may have very many.
func wrapperNamed(name string) (w wrapper, found bool) {
	switch name {
	case "sudo":
		return wrapper{valued: "ugpCDRTUhrt", long: []string{"--user", "--group", "--prompt", "--chdir", "--host"},
			sets: true}, true
	case "doas":
		return wrapper{valued: "uC"}, true
	case "env":
		return wrapper{valued: "uC", long: []string{"--unset", "--chdir"}, text: "S", sets: true}, true
	case "nohup", "setsid", "builtin", "bunx":
		return wrapper{}, true
	case "timeout":
		return wrapper{valued: "sk", long: []string{"--signal", "--kill-after"}, fixed: 1}, true
	case "nice":
		return wrapper{valued: "n", long: []string{"--adjustment"}}, true
	case "ionice":
		return wrapper{valued: "cn", long: []string{"--class", "--classdata"}}, true
	case "stdbuf":
		return wrapper{valued: "ioe", long: []string{"--input", "--output", "--error"}}, true
	case "time":
		return wrapper{valued: "fo", long: []string{"--format", "--output"}}, true
	case "xargs":
		return wrapper{valued: "aEdILnPs",
				long: []string{"--arg-file", "--delimiter", "--max-lines", "--max-args", "--max-procs", "--max-chars"}},
			true
	case "exec":
		return wrapper{valued: "a"}, true
	case "command":
		return wrapper{names: "vV"}, true
	case "npx":
		return wrapper{valued: "p", long: []string{"--package"}, text: "c"}, true
	}
	return wrapper{}, false
}

// strip takes off the wrapper's own words; inner is shell text that one of its options holds.
func (w wrapper) strip(args []string) (words []string, inner string) {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		option := args[0]
		args = args[1:]
		if option == "--" {
			break
		}
		takes := slices.Contains(w.long, option)
		if at := strings.IndexAny(option, w.valued+w.text+w.names); at > 0 && !strings.HasPrefix(option, "--") {
			switch value := option[at+1:]; {
			case strings.IndexByte(w.names, option[at]) >= 0:
				return nil, ""
			case strings.IndexByte(w.text, option[at]) >= 0 && value != "":
				return nil, strings.Join(append([]string{value}, args...), " ")
			case strings.IndexByte(w.text, option[at]) >= 0:
				return nil, strings.Join(args, " ")
			default:
				takes = value == ""
			}
		}
		if takes && len(args) > 0 {
			args = args[1:]
		}
	}
	if w.sets {
		args = skipAssignments(args)
	}
	return args[min(w.fixed, len(args)):], ""
}
