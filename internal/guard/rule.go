package guard

import (
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
	if slices.ContainsFunc(args, isHarmless) {
		return ""
	}
	writes := slices.ContainsFunc(args, isWriting)
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

// isHarmless is an option that reads, or that writes to the agent's own home.
func isHarmless(option string) bool {
	return option == "--global" || option == "-l" || option == "--list" || strings.HasPrefix(option, "--get")
}

func isWriting(option string) bool {
	return slices.Contains([]string{"--add", "--unset", "--unset-all", "--replace-all", "--remove-section",
		"--rename-section"}, option)
}
