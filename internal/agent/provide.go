package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"delegate/internal/atomicfile"
	"delegate/internal/program"
	"delegate/internal/run"
)

// PolicyFile is what the pre-tool hook decides by, in a turn's folder.
const PolicyFile = "policy.json"

// words are the words in braces that commands, variables and files of a profile may have, each
// followed by what replaces it.
func (p Place) words() []string {
	hook := run.Quote(run.Program()) + " hook {dialect} " + run.Quote(filepath.Join(p.Turn, PolicyFile))
	return []string{
		"{port}", strconv.Itoa(p.PortBase), "{name}", p.Name, "{home}", p.Home, "{tmp}", p.Tmp, "{turn}", p.Turn,
		"{worktree}", p.Worktree,
		"{writable}", jsonText(p.writable()), "{edits}", p.edits(), "{hook}", hook, "{policy}",
		filepath.Join(p.Turn, PolicyFile),
	}
}

// ConfigFiles are what the program finds of its configuration in the turn's private folder, where the rest
// of the private state is hidden from it.
func (p Place) ConfigFiles(profile Profile) []string {
	shown := []string{filepath.Join(p.Turn, PolicyFile)}
	if p.Hooks != "" {
		shown = append(shown, p.Hooks)
	}
	for _, f := range profile.Files {
		if path := strings.NewReplacer(p.words()...).Replace(f.Path); strings.HasPrefix(path,
			p.Turn+string(filepath.Separator)) {
			shown = append(shown, path)
		}
	}
	return shown
}

// writable are the folders beside the worktree that committing and reporting need.
func (p Place) writable() []string {
	branch := filepath.FromSlash(p.Branch)
	return []string{
		filepath.Join(p.Git, "objects"), filepath.Join(p.Git, "worktrees"),
		filepath.Dir(filepath.Join(p.Git, "refs", "heads", branch)),
		filepath.Dir(filepath.Join(p.Git, "logs", "refs", "heads", branch)), p.AgentDir, p.Tmp,
	}
}

// edits are opencode's rules for which files may be edited; the last that matches decides.
// Globs that it would read in another way allow everything, which leaves them to the other layers.
func (p Place) edits() string {
	rules := []string{`"*": "deny"`}
	for _, glob := range p.Allowed {
		if strings.ContainsAny(glob, "[]{}!\\") {
			rules = []string{`"*": "allow"`}
			break
		}
		rules = append(rules, jsonText(glob)+`: "allow"`)
	}
	for _, glob := range p.Forbidden {
		if !strings.ContainsAny(glob, "[]{}!\\") {
			rules = append(rules, jsonText(glob)+`: "deny"`)
		}
	}
	return "{" + strings.Join(rules, ", ") + "}"
}

// jsonText is a text, or a list of them, as JSON and TOML both write it.
func jsonText[T string | []string](value T) string {
	data, err := json.Marshal(value)
	if err != nil {
		return `""` // texts always marshal
	}
	return string(data)
}

// WriteConfig gives the program its login and its configuration for one turn.
func (p Profile) WriteConfig(place Place) error {
	if err := p.copyCredentials(place); err != nil {
		return err
	}
	words := place.words()
	for _, f := range p.Files {
		path := strings.NewReplacer(words...).Replace(f.Path)
		content, err := content(f, p.Name, words)
		if err != nil {
			return err
		}
		if err := place.write(path, content); err != nil {
			return fmt.Errorf("configure %s: %w", p.Name, err)
		}
	}
	return nil
}

// write puts a file into the turn's folder or into the agent's home, in which the agent may have
// put links: none of them is followed out of it.
func (p Place) write(path string, content []byte) error {
	rel, err := filepath.Rel(p.Home, path)
	if err != nil || !filepath.IsLocal(rel) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return atomicfile.WriteFile(path, content, 0o600)
	}
	if err := os.MkdirAll(p.Home, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(p.Home)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(rel), 0o700); err != nil {
		return err
	}
	if err := root.RemoveAll(rel + ".new"); err != nil {
		return err
	}
	if err := root.WriteFile(rel+".new", content, 0o600); err != nil {
		return err
	}
	return root.Rename(rel+".new", rel)
}

// copyCredentials copies the files with the person's login that are newer than the agent's own, which the
// program may have renewed.
func (p Profile) copyCredentials(place Place) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil // nobody's home, nothing to copy
	}
	for _, name := range p.Credentials {
		from, to := filepath.Join(home, filepath.FromSlash(name)), filepath.Join(place.Home, filepath.FromSlash(name))
		source, err := os.Stat(from)
		if errors.Is(err, fs.ErrNotExist) || from == to {
			continue
		}
		if err != nil {
			return fmt.Errorf("copy login to %s: %w", p.Name, err)
		}
		if there, err := os.Stat(to); err == nil && !source.ModTime().After(there.ModTime()) {
			continue
		}
		data, err := os.ReadFile(from)
		if err != nil {
			return fmt.Errorf("copy login to %s: %w", p.Name, err)
		}
		if err := place.write(to, data); err != nil {
			return fmt.Errorf("copy login to %s: %w", p.Name, err)
		}
	}
	return nil
}

// content is the file with its words replaced: texts inside JSON strings, the rules of {edits} as they are.
func content(f program.ConfigFile, dialect string, words []string) ([]byte, error) {
	inside := make([]string, len(words))
	for i, word := range words {
		inside[i] = word
		if i%2 == 1 && words[i-1] != "{edits}" {
			quoted := jsonText(strings.ReplaceAll(word, "{dialect}", dialect))
			inside[i] = quoted[1 : len(quoted)-1]
		}
	}
	var ours map[string]any
	if err := json.Unmarshal([]byte(strings.NewReplacer(inside...).Replace(f.Content)), &ours); err != nil {
		return nil, fmt.Errorf("configuration %q: %w", f.Path, err)
	}
	whole := map[string]any{}
	if home, err := os.UserHomeDir(); err == nil && f.Merge != "" {
		data, err := os.ReadFile(filepath.Join(home, filepath.FromSlash(f.Merge)))
		if err == nil {
			_ = json.Unmarshal(data, &whole) // one that is no plain JSON is left out: ours works alone
		}
	}
	merge(whole, ours)
	data, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("configuration %q: %w", f.Path, err)
	}
	return append(data, '\n'), nil
}

// merge puts over what is there; objects are merged, everything else is replaced.
func merge(into, over map[string]any) {
	for key, value := range over {
		below, isObject := value.(map[string]any)
		there, wasObject := into[key].(map[string]any)
		if isObject && wasObject {
			copied := maps.Clone(there)
			merge(copied, below)
			into[key] = copied
			continue
		}
		into[key] = value
	}
}
