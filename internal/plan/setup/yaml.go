package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"delegate/internal/project/config"
	"delegate/internal/sys/atomicfile"
)

// mostKept is how many bytes of a file that is there already are read to compare it.
const mostKept = 1 << 20

// Present is what lies where the file would be written, nil if nothing does. It is an error if that cannot be read, as
// where it is a folder, or if a symbolic link is on the way to it, which could lead out of the repository.
func (f File) Present(root string) ([]byte, error) {
	at := root
	parts := strings.Split(f.Path, "/")
	for i, part := range parts {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("look at %q: %w", f.Path, err)
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, fmt.Errorf("%q is behind the symbolic link %q, and nothing is written through links", f.Path,
				strings.Join(parts[:i+1], "/"))
		case i < len(parts)-1 && !info.IsDir():
			return nil, fmt.Errorf("look at %q: %q is no folder", f.Path, strings.Join(parts[:i+1], "/"))
		}
	}
	data, err := atomicfile.ReadRegular(at, mostKept)
	if err != nil {
		return nil, fmt.Errorf("look at %q: %w", f.Path, err)
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}

// Write puts the file into the checkout, if nothing lies there.
// Errors: those of Present, an *atomicfile.ChangedError if something lies there, or why it could not be written.
func (f File) Write(root string) error {
	found, err := f.Present(root)
	if err != nil {
		return err
	}
	at := filepath.Join(root, filepath.FromSlash(f.Path))
	if !bytes.Equal(found, f.Before) {
		return &atomicfile.ChangedError{Path: at, Found: found}
	}
	before := f.Before
	if len(before) > 0 && !bytes.HasSuffix(before, []byte("\n")) {
		before = append(bytes.Clone(before), '\n')
	}
	return atomicfile.Replacer{}.Replace(at, found, slices.Concat(before, f.Content))
}

const head = `# Configuration of delegate. Every key is optional.
# All keys: delegate help config. What this machine has: delegate doctor
`

const defaults = `
# Defaults. Uncomment to change.
# planner: none # or the program that is asked for a plan: claude, codex, opencode, …
# max_parallel_agents: 3
# agent_timeout: 1h
# verify_timeout: 10m
# scope_limit: 20
# forbidden: []
# restricted: []
# supervision: supervised
# record: docs/logs # or private: registry, logs and notes are kept in .git, and nothing of them in the tree
`

// Configuration is a whole configuration file for what was found, which internal/project/config takes.
func (f Found) Configuration() []byte {
	parts := []string{f.agent(), f.verify(), f.copies(), f.setup(), f.sandbox()}
	if f.Engine != "" {
		parts = append(parts, f.engine())
	}
	return []byte(head + "\n" + strings.Join(parts, "\n") + defaults)
}

// Additions are the lines for keys that something was found for and that a configuration does not
// set; "" if there are none. Where an engine is asked for, they are its lines alone.
func (f Found) Additions(c config.Config) string {
	if f.Engine != "" {
		if _, has := c.Engines[EngineNames()[f.Engine]]; has {
			return ""
		}
		return f.engine()
	}
	var all []string
	if len(f.Programs) > 0 && c.Agent == "" {
		all = append(all, f.agent())
	}
	if len(f.Verify) > 0 && len(c.Verify) == 0 && !c.VerifyDetect {
		all = append(all, f.verify())
	}
	if len(f.Copy) > 0 && len(c.Copy) == 0 {
		all = append(all, f.copies())
	}
	return strings.Join(all, "\n")
}

func (f Found) agent() string {
	if len(f.Programs) == 0 {
		return "# Default agent. No agent CLI was found on your PATH.\n# agent: claude\n"
	}
	return fmt.Sprintf("# Default agent. Found on your PATH: %s\nagent: %s\n",
		remark(strings.Join(f.Programs, ", ")), scalar(f.Programs[0]))
}

func (f Found) verify() string {
	if len(f.Verify) == 0 {
		return "# Commands that build and test each merge before it is offered. None was found; without them, " +
			"nothing is tested.\n# verify: [make test]\n"
	}
	text := "# Commands that build and test each merge before it is offered, in order. `verify: detect` finds " +
		"them anew each time.\nverify:\n"
	for _, c := range f.Verify {
		text += "  - " + scalar(c.Line) + " # from " + remark(c.Why) + "\n"
	}
	return text
}

func (f Found) copies() string {
	var text string
	if len(f.Copy) > 0 {
		text = "# Ignored files that are copied into each new worktree. Agents can read them.\ncopy:\n"
		for _, it := range f.Copy {
			text += "  - " + scalar(it.Path) + " # " + remark(it.about()) + "\n"
		}
	} else {
		text = "# Ignored files that are copied into each new worktree, such as .env. None was found.\n" +
			"# copy: []\n"
	}
	if len(f.Spare) == 0 {
		return text
	}
	text += "# A build makes these again; copying them saves time:\n"
	for _, it := range f.Spare {
		text += "#   - " + scalar(it.Path) + " # " + remark(it.about()) + "\n"
	}
	return text
}

func (f Found) setup() string {
	if len(f.Setup) == 0 {
		return "# Commands to run once in each new worktree.\n# setup: []\n"
	}
	var locks, lines []string
	for _, step := range f.Setup {
		locks = append(locks, step.Lock)
		lines = append(lines, scalar(step.Line))
	}
	return fmt.Sprintf("# Commands to run once in each new worktree of an agent. What %s names is not installed here, "+
		"so it may need:\n# setup: [%s]\n"+
		"# verify runs elsewhere, in a checkout of its own: what it needs as well goes before its commands.\n",
		remark(strings.Join(locks, ", ")), strings.Join(lines, ", "))
}

// sandbox is what agents can read and reach.
func (f Found) sandbox() string {
	if !f.Holds {
		return "# This machine has no namespaces, so agents read and reach what you can.\n" +
			"# sandbox: {read: home, network: open}\n"
	}
	text := "# Of your files agents read this repository, toolchains and caches (delegate doctor lists them).\n" +
		"# More:  readable: [~/PATH]\nsandbox:\n  read: list\n"
	if len(f.Hosts) == 0 {
		return text + "  # The network stays open: no agent program was found whose hosts are known. To close it:\n" +
			"  # hosts: [HOST]\n  # network: hosts\n"
	}
	return text + "  # Agents reach what " + remark(f.Programs[0]) + " needs: " + remark(strings.Join(f.Hosts, ", ")) +
		".\n  # More, for setup and verify too, such as the registries of packages:\n" +
		"  # hosts: [" + strings.Join(registries, ", ") + "]\n  network: hosts\n"
}

// registries are hosts from which builds usually fetch.
var registries = []string{"proxy.golang.org", "sum.golang.org", "registry.npmjs.org", "pypi.org",
	"files.pythonhosted.org", "index.crates.io", "static.crates.io", "repo.maven.apache.org"}

func (i Item) about() string {
	if i.Count > 1 {
		return fmt.Sprintf("%d of them, %s", i.Count, i.Size)
	}
	return i.Size.String()
}

// scalar writes a text so that YAML reads just this text in it, also inside of brackets.
func scalar(text string) string {
	plain := regexp.MustCompile(`^[A-Za-z./][A-Za-z0-9_./ -]*[A-Za-z0-9_./]$`)
	words := []string{"true", "false", "null", "yes", "no", "on", "off", "detect"}
	if plain.MatchString(text) && !slices.Contains(words, strings.ToLower(text)) {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return `""` // no text is refused
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// remark is a text as a comment can hold it.
func remark(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}
