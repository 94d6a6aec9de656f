package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/program"
)

// PolicyFile is what the pre-tool hook decides by, in a turn's folder.
const PolicyFile = "policy.json"

// hookTime is how long the pre-tool hook may take where it asks no person.
const hookTime = 30 * time.Second

// words are the words in braces that commands, variables and files of a profile may have, each
// followed by what replaces it.
func (p Place) words() []string {
	hook := run.Quote(run.Program()) + " hook {dialect} " + run.Quote(filepath.Join(p.Turn, PolicyFile))
	return []string{
		"{port}", strconv.Itoa(p.PortBase), "{name}", p.Name, "{home}", p.Home, "{tmp}", p.Tmp, "{turn}", p.Turn,
		"{worktree}", p.Worktree,
		"{writable}", jsonText(p.writable()), "{edits}", p.edits(), "{hook}", hook, "{hook_seconds}",
		strconv.Itoa(int((hookTime + p.PermissionWait) / time.Second)), "{policy}",
		filepath.Join(p.Turn, PolicyFile), "{skills}", p.skills(), "{usage}",
		filepath.Join(p.AgentDir, agentdir.UsageName), "{servers}", jsonText(p.Instructions.given()),
		"{names}", jsonText(p.Instructions.allowed()),
	}
}

// skills is the folder with the skills that its program is told of.
func (p Place) skills() string { return filepath.Join(p.Turn, "skills") }

// ConfigFiles are what the program finds of its configuration in the turn's private folder, where the rest
// of the private state is hidden from it.
func (p Place) ConfigFiles(profile Profile) []string {
	shown := []string{filepath.Join(p.Turn, PolicyFile)}
	if profile.reads() {
		shown = append(shown, p.skills())
	}
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

// jsonText is a value as JSON writes it, and TOML as well if it is a text or a list of them.
func jsonText[T string | []string | map[string]any](value T) string {
	data, err := json.Marshal(value)
	if err != nil {
		return `""` // texts always marshal, and what was read as JSON
	}
	return string(data)
}

// WriteConfig gives the program its login and its configuration for one turn.
func (p Profile) WriteConfig(place Place) error {
	if err := p.copyCredentials(place); err != nil {
		return err
	}
	if p.reads() {
		if err := place.Instructions.writeSkills(place.skills()); err != nil {
			return err
		}
	}
	words := append(place.words(), "{approved}", jsonText(p.keyEnds()))
	for _, f := range p.Files {
		path := strings.NewReplacer(words...).Replace(f.Path)
		content, err := p.content(f, place, words)
		switch {
		case f.Copy != "" && errors.Is(err, fs.ErrNotExist):
			err = place.remove(path)
		case err == nil:
			err = place.write(path, content)
		}
		if err != nil {
			return fmt.Errorf("configure %s: %w", p.Name, err)
		}
	}
	return nil
}

// keyEnds has the end of the key that the program is given, by which it knows that the person allowed it.
func (p Profile) keyEnds() []string {
	key, given := p.Env[p.AsksOfKey]
	if !given && slices.Contains(p.PassEnv, p.AsksOfKey) {
		key = os.Getenv(p.AsksOfKey)
	}
	if key == "" {
		return []string{}
	}
	return []string{key[max(0, len(key)-keyEnd):]}
}

// keyEnd is how much of a key claude keeps to know it again.
const keyEnd = 20

// content is what one file is made of.
func (p Profile) content(f program.ConfigFile, place Place, words []string) ([]byte, error) {
	switch {
	case f.Text != "":
		return []byte(strings.ReplaceAll(f.Text, "{instructions}", place.Instructions.markdown(place.skills()))), nil
	case f.Copy != "":
		return p.ofPerson(f.Copy)
	}
	if strings.Contains(f.Content, "{instructions}") {
		words = append(slices.Clone(words), "{instructions}", place.Instructions.markdown(place.skills()))
	}
	return p.jsonContent(f, words)
}

// ofPerson reads a file of the person's.
func (p Profile) ofPerson(name string) ([]byte, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fs.ErrNotExist // nobody's home, nothing in it
	}
	return os.ReadFile(p.At(home, name))
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

// remove takes away a file in the agent's home that the person does not have any more, whoever put it there.
func (p Place) remove(path string) error {
	rel, err := filepath.Rel(p.Home, path)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	root, err := os.OpenRoot(p.Home)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Lstat(rel); err != nil {
		return nil // nothing is there
	}
	return root.RemoveAll(rel)
}

// copyCredentials copies the files with the person's login that are newer than the agent's own, which the
// program may have renewed.
func (p Profile) copyCredentials(place Place) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil // nobody's home, nothing to copy
	}
	for _, name := range p.logins() {
		from, to := p.At(home, name), filepath.Join(place.Home, filepath.FromSlash(name))
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

// jsonContent is the file with its words replaced: texts inside JSON strings, what is JSON itself as it is.
// Of the person's file the servers do not count: those that are given are in ours.
func (p Profile) jsonContent(f program.ConfigFile, words []string) ([]byte, error) {
	inside := make([]string, len(words))
	for i, word := range words {
		inside[i] = word
		if i%2 == 1 && !slices.Contains([]string{"{edits}", "{servers}", "{names}", "{approved}"},
			words[i-1]) {
			quoted := jsonText(strings.ReplaceAll(word, "{dialect}", p.Program.Name))
			inside[i] = quoted[1 : len(quoted)-1]
		}
	}
	var ours map[string]any
	if err := json.Unmarshal([]byte(strings.NewReplacer(inside...).Replace(f.Content)), &ours); err != nil {
		return nil, fmt.Errorf("configuration %q: %w", f.Path, err)
	}
	whole := map[string]any{}
	if f.Merge != "" {
		if data, err := p.ofPerson(f.Merge); err == nil {
			_ = json.Unmarshal(data, &whole) // one that is no plain JSON is left out: ours works alone
		}
	}
	maps.DeleteFunc(whole, func(key string, _ any) bool {
		return key == p.Servers.Key || len(f.Keep) > 0 && !slices.Contains(f.Keep, key)
	})
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
