package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"delegate/internal/atomicfile"
	"delegate/internal/run"
	"delegate/registry"
)

// Settings are what git does in this repository, as fingerprints: values may hold passwords, so none is kept.
type Settings struct {
	Files map[string]string            // path below the common git folder to fingerprint
	Keys  map[string]map[string]string // file of configuration to key to the fingerprint of its values
}

// SnapshotSettings reads the configuration of the repository and of its checkouts, its hooks,
// and the files by which history, attributes and objects can be made to look different.
// Configuration of the person and the system is not in it, and neither is what a file includes.
func (p *Project) SnapshotSettings(ctx context.Context) (Settings, error) {
	s := Settings{Files: map[string]string{}, Keys: map[string]map[string]string{}}
	for _, pattern := range []string{
		"config", "config.worktree", "worktrees/*/config.worktree", "hooks", "hooks/*",
		"info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout", "shallow", "objects/info/alternates",
	} {
		found, err := fs.Glob(os.DirFS(p.Repo.CommonDir), pattern)
		if err != nil {
			return Settings{}, fmt.Errorf("list settings %q: %w", pattern, err)
		}
		for _, name := range found {
			print, err := fingerprint(filepath.Join(p.Repo.CommonDir, filepath.FromSlash(name)))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return Settings{}, fmt.Errorf("read setting %q: %w", name, err)
			}
			s.Files[name] = print
			if !isConfig(name) {
				continue
			}
			if s.Keys[name], err = p.keys(ctx, name); err != nil {
				return Settings{}, err
			}
		}
	}
	return s, nil
}

func isConfig(name string) bool {
	return path.Base(name) == "config" || path.Base(name) == "config.worktree"
}

// fingerprint tells files apart by their content, by whether they can be run, and by where they lead.
func fingerprint(name string) (string, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "link %q\n", target)
		if info, err = os.Stat(name); err != nil {
			return hex.EncodeToString(sum.Sum(nil)), nil // it leads nowhere
		}
	}
	fmt.Fprintf(sum, "%v %v\n", info.Mode().Type(), info.Mode().Perm()&0o111 != 0)
	if info.Mode().IsRegular() {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer file.Close()
		if _, err := io.Copy(sum, file); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// keys fingerprints the values of each key; none of a file that git cannot read.
func (p *Project) keys(ctx context.Context, name string) (map[string]string, error) {
	values, err := p.Repo.ConfigFile(ctx, filepath.Join(p.Repo.CommonDir, filepath.FromSlash(name)))
	if run.ExitCode(err) > 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	prints := make(map[string]string, len(values))
	for key, all := range values {
		sum := sha256.Sum256(fmt.Appendf(nil, "%q", all))
		prints[key] = hex.EncodeToString(sum[:])
	}
	return prints, nil
}

// ChangedSetting is one file, or one key of a configuration, that is not as it was.
type ChangedSetting struct {
	File string // below the common git folder
	Key  string // as git names it; empty where the file as a whole is meant
	// Dangerous settings decide which programs git runs, where it fetches and pushes, or what history it shows.
	Dangerous bool
}

// String is one line for people.
func (c ChangedSetting) String() string {
	text := "git's " + c.File
	if c.Key != "" {
		text += fmt.Sprintf(": %q", c.Key)
	}
	if text += " changed"; c.Dangerous {
		text += ", which can make git run programs or show another history"
	}
	return text
}

// Changed lists what was added, changed or taken away, by file and key. A file of configuration is told by its keys,
// unless git cannot read it or only its form changed.
func (s Settings) Changed(now Settings) []ChangedSetting {
	var all []ChangedSetting
	dangerous := dangerousKeys()
	for _, name := range differing(s.Files, now.Files) {
		keys := differing(s.Keys[name], now.Keys[name])
		unreadable := isConfig(name) && now.Files[name] != "" && now.Keys[name] == nil
		if unreadable || len(keys) == 0 {
			all = append(all, ChangedSetting{File: name, Dangerous: unreadable || isDangerous(name)})
			continue
		}
		for _, key := range keys {
			all = append(all, ChangedSetting{File: name, Key: key, Dangerous: dangerous.MatchString(key)})
		}
	}
	return all
}

// differing are the names whose values are not the same, in their order.
func differing(before, now map[string]string) []string {
	var names []string
	for name, value := range now {
		if before[name] != value {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, there := now[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// isDangerous says whether a file that is no configuration can run programs or change what history is.
func isDangerous(name string) bool {
	switch name {
	case "info/attributes", "info/grafts", "shallow", "objects/info/alternates", "hooks":
		return true
	}
	return strings.HasPrefix(name, "hooks/") && !strings.HasSuffix(name, ".sample")
}

// dangerousKeys matches the keys by which git runs programs, follows other files, or goes to
// another place than the person thinks.
func dangerousKeys() *regexp.Regexp {
	return regexp.MustCompile(`^(?s:` + strings.Join([]string{
		`core\.(hookspath|fsmonitor|sshcommand|gitproxy|editor|pager|askpass|worktree|attributesfile|alternaterefscommand|alternaterefsprefixes|protectntfs|protecthfs|symlinks|commitgraph|usereplacerefs|bare)`,
		`sequence\.editor`, `pager\..*`, `alias\..*`, `include\.path`, `includeif\..*`, `extensions\..*`, `safe\..*`,
		`protocol\..*`, `hook\..*`,
		`filter\..*`, `diff\.external`, `diff\..*\.(command|textconv)`, `(diff|merge|gui)tool\..*`, `merge\..*\.driver`,
		`interactive\.difffilter`,
		`gpg\..*`, `credential\..*`, `http\..*`, `url\..*`, `remote\..*`, `submodule\..*`,
		`(uploadpack|receive|uploadarchive|transfer)\..*`, `trailer\..*\.(command|cmd)`,
		`(browser|man|tar|help)\..*\.(cmd|path|command)`, `sendemail\..*`, `imap\..*`, `lfs\..*`, `init\.templatedir`,
		`gc\.recentobjectshook`, `instaweb\..*`, `web\.browser`, `fsck\..*`,
	}, "|") + `)$`)
}

// Surroundings are what was around an agent when its turn began.
type Surroundings struct {
	Turn     int
	Refs     Refs
	Settings Settings
}

// Surroundings reads the references and the settings as they are now, for the agent's turn.
func (p *Project) Surroundings(ctx context.Context, session string, a registry.Agent) (Surroundings, error) {
	refs, err := p.SnapshotRefs(ctx, session)
	if err != nil {
		return Surroundings{}, err
	}
	settings, err := p.SnapshotSettings(ctx)
	return Surroundings{Turn: a.Turns, Refs: refs, Settings: settings}, err
}

func (p *Project) surveyFile(session, agent string) string {
	return filepath.Join(p.AgentState(session, agent), "survey.json")
}

// RememberSurroundings keeps what was around the agent, in place of that of its turn before.
func (p *Project) RememberSurroundings(session, agent string, s Surroundings) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("note what is around %s: %w", agent, err)
	}
	return atomicfile.WriteFile(p.surveyFile(session, agent), data, 0o600)
}

// RememberedSurroundings is what was around the agent at the start of its turn; fs.ErrNotExist (wrapped)
// if that was never noted or is of another turn.
func (p *Project) RememberedSurroundings(session string, a registry.Agent) (Surroundings, error) {
	var s Surroundings
	data, err := os.ReadFile(p.surveyFile(session, a.ID))
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err == nil && s.Turn != a.Turns {
		err = fmt.Errorf("it is of turn %d: %w", s.Turn, fs.ErrNotExist)
	}
	if err != nil {
		return Surroundings{}, fmt.Errorf("read what was around %s: %w", a.ID, err)
	}
	return s, nil
}
