package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"delegate/internal/git"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
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

// Changed lists what was added, changed or taken away, by file and key. A file of configuration is listed by its keys,
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
	names := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(now))
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return before[name] == now[name] })
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
func (p *Project) Surroundings(ctx context.Context, state registry.State, a registry.Agent) (Surroundings, error) {
	refs, err := p.SnapshotRefs(ctx, state)
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
	return atomicfile.WriteJSON(p.surveyFile(session, agent), s)
}

// RememberedSurroundings is what was around the agent at the start of its turn; fs.ErrNotExist (wrapped)
// if that was never noted or is of another turn.
func (p *Project) RememberedSurroundings(session string, a registry.Agent) (Surroundings, error) {
	var s Surroundings
	err := atomicfile.ReadJSON(p.surveyFile(session, a.ID), &s)
	if err == nil && s.Turn != a.Turns {
		err = fmt.Errorf("it is of turn %d: %w", s.Turn, fs.ErrNotExist)
	}
	if err != nil {
		return Surroundings{}, fmt.Errorf("read what was around %s: %w", a.ID, err)
	}
	return s, nil
}

// Refs are the references of a repository that no agent of a session may move, and HEAD of the main checkout:
// full name to object, or to "ref: " and a name.
type Refs map[string]string

// SnapshotRefs reads all references but those of the state's session and this program's own.
func (p *Project) SnapshotRefs(ctx context.Context, state registry.State) (Refs, error) {
	all, err := p.Repo.References(ctx)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(all, func(ref, _ string) bool {
		return strings.HasPrefix(ref, "refs/delegate/") || owns(state, ref)
	})
	return all, nil
}

// MovedRef is a reference that was at From and is at To. An empty From means that it was made, an
// empty To that it was deleted.
type MovedRef struct{ Ref, From, To string }

// Moved lists what is different now, by name.
func (r Refs) Moved(now Refs) []MovedRef {
	var moved []MovedRef
	for _, ref := range differing(r, now) {
		moved = append(moved, MovedRef{Ref: ref, From: r[ref], To: now[ref]})
	}
	return moved
}

// Intrusion is a reference that moved while agents worked, and not as a person's daily work moves it.
type Intrusion struct {
	MovedRef
	// Agent is whose commits the reference took in though nobody landed them, or whose stash it holds: a sure sign.
	// It is empty where somebody moved the reference and nobody can tell who: a note for the person, not a violation.
	Agent string
	// Why is the clause that says what was found.
	Why string
}

// String is one line for people.
func (i Intrusion) String() string { return i.Ref + " " + i.Why }

// Intruded looks through what moved between two snapshots for what agents must not have done.
//
// People commit, fetch and make branches all the time, so a reference that only went forward is no
// sign. Sure is one that took in commits which were made in an agent's checkout, by git's own
// record of it: it does not count what the agent itself took in, so an agent that merged the moved
// target is not accused of moving it. Work that is MERGED may be anywhere; an agent whose landing
// is under way must be left out by the caller. An agent that wrote a commit outside of its checkout, or
// wiped the record, leaves no sure sign; a reference that lost history, a replaced object and a
// moved HEAD are notes.
func (p *Project) Intruded(ctx context.Context, before, now Refs, agents []registry.Agent) ([]Intrusion, error) {
	moved := before.Moved(now)
	if len(moved) == 0 {
		return nil, nil
	}
	makers, err := p.makers(ctx, agents)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, id := range before {
		if !strings.HasPrefix(id, symbolic) {
			known = append(known, id)
		}
	}
	var found []Intrusion
	for _, m := range moved {
		sign, err := p.intrusion(ctx, m, known, makers)
		if err == nil && sign.Why == "" {
			sign, err = p.stashed(ctx, m, agents)
		}
		if err == nil && sign.Why == "" {
			sign.Why, err = p.oddity(ctx, m)
		}
		if err != nil {
			return nil, fmt.Errorf("look into %q, which moved: %w", m.Ref, err)
		}
		if sign.Why != "" {
			sign.MovedRef = m
			found = append(found, sign)
		}
	}
	return found, nil
}

const (
	symbolic = "ref: "
	stashRef = "refs/stash"
)

// makers says which agent made a commit, of those agents whose work has not landed.
func (p *Project) makers(ctx context.Context, agents []registry.Agent) (map[string]string, error) {
	makers := map[string]string{}
	for _, a := range agents {
		if a.Status == registry.Merged || a.Worktree == "" {
			continue
		}
		checkout, err := p.Repo.OpenWorktree(a.Worktree)
		if errors.Is(err, git.ErrNoWorktree) {
			continue // it is gone, and its record with it
		}
		if err != nil {
			return nil, err
		}
		made, err := checkout.MadeHere(ctx)
		if err != nil {
			return nil, err
		}
		for _, id := range made {
			makers[id] = a.ID
		}
	}
	return makers, nil
}

// intrusion looks for agents' commits that are new in a reference and were in none before.
func (p *Project) intrusion(ctx context.Context, m MovedRef, known []string, makers map[string]string) (Intrusion,
	error) {
	var found Intrusion
	if m.To == "" || m.Ref == "HEAD" || strings.HasPrefix(m.To, symbolic) || len(makers) == 0 {
		return found, nil // a person may look at an agent's work in the main checkout
	}
	err := p.Repo.Beyond(ctx, []string{m.To}, known, func(commit string) {
		if agent := makers[commit]; agent != "" && found.Agent == "" {
			found = Intrusion{Agent: agent,
				Why: fmt.Sprintf("took in commit %.12s of %s, which nobody landed", commit, agent)}
		}
	})
	return found, err
}

// stashed looks whether the newest stash is an agent's: stashes are shared by all checkouts and
// name the branch they were made on.
func (p *Project) stashed(ctx context.Context, m MovedRef, agents []registry.Agent) (Intrusion, error) {
	if m.Ref != stashRef || m.To == "" {
		return Intrusion{}, nil
	}
	blobs := p.Repo.OpenBlobs(ctx)
	defer blobs.Close()
	_, data, err := blobs.Commit(m.To)
	if err != nil {
		return Intrusion{}, err
	}
	_, message, _ := strings.Cut(string(data), "\n\n")
	for _, a := range agents {
		if strings.HasPrefix(message, "WIP on "+a.Branch+": ") || strings.HasPrefix(message, "On "+a.Branch+": ") {
			return Intrusion{Agent: a.ID,
				Why: fmt.Sprintf("holds a stash of %s; the person's own are below it", a.ID)}, nil
		}
	}
	return Intrusion{}, nil
}

// oddity says what is unusual about the move of a reference by an unknown hand, "" if nothing is.
func (p *Project) oddity(ctx context.Context, m MovedRef) (string, error) {
	switch {
	case strings.HasPrefix(m.Ref, "refs/remotes/") || strings.HasPrefix(m.Ref, "refs/prefetch/"):
		return "", nil // fetching moves these in every direction
	case strings.HasPrefix(m.Ref, "refs/replace/") && m.To != "":
		return "replaces an object by another one for everybody who reads this repository", nil
	case m.From == "":
		return "", nil
	case m.To == "":
		return fmt.Sprintf("was deleted (it was at %.12s)", strings.TrimPrefix(m.From, symbolic)), nil
	case strings.HasPrefix(m.From, symbolic) || strings.HasPrefix(m.To, symbolic):
		return fmt.Sprintf("was switched from %q to %q", strings.TrimPrefix(m.From, symbolic),
			strings.TrimPrefix(m.To, symbolic)), nil
	case strings.HasPrefix(m.Ref, "refs/tags/"):
		return fmt.Sprintf("was moved to another object (it was at %.12s)", m.From), nil
	case m.Ref == stashRef || m.Ref == "HEAD":
		return "", nil // each stash stands for itself, and a detached HEAD keeps nothing
	}
	lost := 0
	if err := p.Repo.Beyond(ctx, []string{m.From}, []string{m.To}, func(string) { lost++ }); err != nil {
		return "", err
	}
	if lost > 0 {
		return fmt.Sprintf("does not hold %d of its commits any more (it was at %.12s)", lost, m.From), nil
	}
	return "", nil
}
