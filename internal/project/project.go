// Package project is one repository with delegation in it: its configuration, its registry, and where everything lives.
//
// It knows the layout of folders, branches and references, takes an agent's head, holds it against the agent's scope,
// and runs the person's verify commands on a commit in a scratch checkout. It decides nothing about states.
package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"delegate/internal/fence/sandbox"
	"delegate/internal/git"
	"delegate/internal/land/suite"
	"delegate/internal/project/config"
	"delegate/internal/record"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/registry"
)

// Project is a repository opened for delegation.
type Project struct {
	Repo    *git.Repo // the checkout the command was typed in
	Main    string    // root of the worktree that holds docs/logs
	Private string    // the folder delegate/ in the common git folder
	Config  config.Config
	Store   *record.Store
	Now     func() time.Time
	Step    func(string)                           // crash hook of tests, never nil
	support func() (s sandbox.Support, fresh bool) // found out once
	// the file of the private key with which the person signs, "" for none, found out once
	signingKey func() string
	// Verifying is called with which commands are about to be run on a tree, and what it answers is called
	// when they are done. nil tells nobody.
	Verifying func([]suite.Command) (done func())
	// Waiting is called when something takes long because another process holds it, and which one. nil tells nobody.
	Waiting func(*atomicfile.HeldError)
	// Inside says that this process belongs to an agent's turn, in which nothing of the repository is to be written,
	// and nothing of this program's private state and of processes outside is to be seen.
	Inside bool
	Home   string    // of the person's account, whatever HOME says
	failed *sync.Map // what failed, by tree and commands, for as long as the Project lives
	tests  *sync.Map // what calls for tests, by tree
	dir    string    // where it was opened
}

// Options are what a caller may replace.
type Options struct {
	Now    func() time.Time
	Step   func(string)
	Inside bool   // as Project.Inside
	Home   string // as Project.Home; "" for what the system says
	// Known is what this process opened before. In the same folder, what git and the machine said then holds: only
	// the configuration is read again.
	Known *Project
	// Bare opens a bare repository as well, whose folder then stands for the main checkout: for those who read what is
	// committed and nothing else.
	Bare bool
}

// Open finds the repository that holds dir and reads its configuration.
// Errors are those of git.Open, a *config.Error, or a missing or too old git.
// Where only the configuration cannot be used, the project comes with the error, and has the
// defaults: for those who look and change nothing.
func Open(ctx context.Context, dir string, o Options) (*Project, error) {
	p, err := find(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	repo := p.Repo
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Step == nil {
		p.Step = func(string) {}
	}
	if p.Main, err = mainWorktree(ctx, repo, p.Private); err != nil {
		return nil, err
	}
	if p.Config, err = config.Load(p.Main); err != nil {
		p.Config = config.Default()
	}
	p.Store = record.Open(record.Options{
		Path:      p.RegistryFile(),
		Private:   filepath.Join(p.Private, "registry"),
		Archive:   filepath.Join(p.RecordDir(), "archive"),
		Worktree:  p.worktreeOf,
		Named:     func(name string) bool { return p.named(context.WithoutCancel(ctx), name) },
		Git:       p.recordInGit(),
		Now:       p.Now,
		Unstashed: p.bringBack,
		Step:      p.Step,
	})
	return p, err
}

// RegistryPath is where the registry lies, from the root of the main worktree, unless the record is private.
const RegistryPath = "docs/logs/delegation_registry.md"

// RecordDir is the folder of the record: the registry, its archive, the logs of sessions, the notes.
func (p *Project) RecordDir() string {
	if p.Config.Record == config.RecordPrivate {
		return filepath.Join(p.Private, "record")
	}
	return filepath.Join(p.Main, "docs", "logs")
}

// RegistryFile is the file of the registry.
func (p *Project) RegistryFile() string { return filepath.Join(p.RecordDir(), path.Base(RegistryPath)) }

// RecordPath names a file of the record from the root of the main worktree, as people read it.
func (p *Project) RecordPath(names ...string) string {
	file := filepath.Join(append([]string{p.RecordDir()}, names...)...)
	if relative, err := filepath.Rel(p.Main, file); err == nil {
		file = relative
	}
	return filepath.ToSlash(file)
}

func (p *Project) recordInGit() record.Git {
	if p.Config.Record == config.RecordPrivate {
		return nil
	}
	return p.Tracked(RegistryPath)
}

// AppendedFiles are the files of the record to which entries are only ever added.
func AppendedFiles() []string {
	return []string{contextPath, notesPath, indexPath}
}

// Tracked is a file of the main worktree as git has it.
func (p *Project) Tracked(path string) git.TrackedFile {
	return git.TrackedFile{Path: path, Open: func() (*git.Repo, error) { return p.Repo.OpenWorktree(p.Main) }}
}

// mainWorktree is git's main checkout, or, for a bare repository, the one in which the first session began.
func mainWorktree(ctx context.Context, repo *git.Repo, private string) (string, error) {
	if repo.GitDir == repo.CommonDir && repo.CommonDir == filepath.Join(repo.Worktree, ".git") {
		return repo.Worktree, nil // and git need not be asked
	}
	all, err := repo.Worktrees(ctx)
	if err != nil {
		return "", err
	}
	if len(all) > 0 && !all[0].Bare {
		return all[0].Path, nil
	}
	note := filepath.Join(private, "main-worktree")
	if data, err := os.ReadFile(note); err == nil {
		path := strings.TrimSuffix(string(data), "\n")
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path, nil
		}
	}
	return repo.Worktree, nil
}

// RememberMain notes the worktree of the registry for a bare repository, where git itself does not tell.
func (p *Project) RememberMain() error {
	if err := os.MkdirAll(p.Private, 0o700); err != nil {
		return fmt.Errorf("make private folder: %w", err)
	}
	return atomicfile.WriteFile(filepath.Join(p.Private, "main-worktree"), []byte(p.Main+"\n"), 0o600)
}

// WorktreeRoot is the folder that holds all sessions' checkouts: the configured one, else the
// sibling `<repo>.delegate`.
func (p *Project) WorktreeRoot() string {
	dir := p.Config.WorktreeDir
	switch {
	case dir == "":
		return p.Main + ".delegate"
	case filepath.IsAbs(dir):
		return dir
	}
	return filepath.Join(p.Main, dir)
}

// worktreeOf is where the worktree of an agent lies that the record names: below the folder of all worktrees, or,
// where that was another one when the worktree was made, where git knows it and the agent's own folder is beside it.
func (p *Project) worktreeOf(session string, a registry.Agent) string {
	name := filepath.ToSlash(a.Worktree)
	expected := filepath.Join(p.WorktreeRoot(), filepath.FromSlash(name))
	if exists(expected) {
		return expected
	}
	for _, path := range p.Repo.Linked() {
		root, named := strings.CutSuffix(filepath.ToSlash(path), "/"+name)
		if named && exists(path) && exists(filepath.Join(root, session, a.ID)) {
			return path
		}
	}
	return expected
}

// SessionDir holds the agents' folders of one session.
func (p *Project) SessionDir(session string) string { return filepath.Join(p.WorktreeRoot(), session) }

// AgentRoot holds one agent's own folder, home and temporary folder.
func (p *Project) AgentRoot(session, agent string) string {
	return filepath.Join(p.SessionDir(session), agent)
}

// AgentDir is the agent's own folder outside its worktree.
func (p *Project) AgentDir(session, agent string) string {
	return filepath.Join(p.AgentRoot(session, agent), "desk")
}

// WorkPath is the worktree that a new attempt of the agent of that name gets.
func (p *Project) WorkPath(name string, attempt int) string {
	return filepath.Join(p.WorktreeRoot(), ofAttempt(name, attempt))
}

// Branch is the branch that a new attempt of the agent of that name gets (short name).
func Branch(name string, attempt int) string { return "delegate/" + ofAttempt(name, attempt) }

// ofAttempt has a dot before the number, which no agent's name has.
func ofAttempt(name string, attempt int) string {
	if attempt <= 1 {
		return name
	}
	return name + "." + strconv.Itoa(attempt)
}

// IntegrationBranch gathers the finished work of a semi-autonomous session (short name).
func IntegrationBranch(session string) string { return "delegate/" + session + "/integration" }

// IntegrationRef keeps, under another name than the branch so that git does not find two for one,
// where this program left the integration branch, so that a person's own commits on it are noticed.
func IntegrationRef(session string) string { return "refs/delegate/" + session + "/gathered" }

// RemoteRef keeps what the session's target was in its remote when this program looked last.
func RemoteRef(session string) string { return "refs/delegate/" + session + "/remote" }

// LandingRef keeps the commits of a landing under way until the target has them.
func LandingRef(session string) string { return "refs/delegate/" + session + "/landing" }

// RequestRef keeps the commit of an agent's work that is pushed for a pull request.
func RequestRef(session, agent string) string {
	return fmt.Sprintf("refs/delegate/%s/%s/request", session, agent)
}

// Landings are the commits whose history holds what has landed: the target, and the target in its remote as far as this
// program saw it, where pull requests are merged.
func (p *Project) Landings(ctx context.Context, session, target string) ([]string, error) {
	there, found, err := p.Repo.Ref(ctx, RemoteRef(session))
	if err != nil || !found || there == target {
		return []string{target}, err
	}
	return []string{target, there}, nil
}

func numbered(name string, attempt int) string {
	if attempt <= 1 {
		return name
	}
	return name + "-" + strconv.Itoa(attempt)
}

// HeadRef is the reference that keeps the head an agent had after one turn.
func HeadRef(session, agent string, turn int) string {
	return fmt.Sprintf("refs/delegate/%s/%s/turn-%d", session, agent, turn)
}

// LookRef is the reference that keeps the head of the last look at an agent that works. The end of
// a turn makes it worthless.
func LookRef(session, agent string) string {
	return fmt.Sprintf("refs/delegate/%s/%s/look", session, agent)
}

// AgentState is the private folder of one agent: turns, queue, indexes.
func (p *Project) AgentState(session, agent string) string {
	return filepath.Join(p.Private, "sessions", session, agent)
}

// Quarantine is the private folder of what a fenced agent's git writes in one attempt.
func (p *Project) Quarantine(session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), fmt.Sprintf("quarantine-%d", max(a.Attempt, 1)))
}

// TurnDir is the private folder of one turn.
func (p *Project) TurnDir(session, agent string, turn int) string {
	return filepath.Join(p.AgentState(session, agent), fmt.Sprintf("turn-%d", turn))
}

// Logs is the folder of a session's public files: each agent's last output.
func (p *Project) Logs(session string) string { return filepath.Join(p.RecordDir(), session) }

// OwnFile says whether a path is written by this program in the main worktree
// and therefore left out of every look at the person's edits.
func OwnFile(path string) bool {
	return strings.HasPrefix(path, "docs/logs/") || path == "docs/01_progress.md"
}

// Active is the registry's state if a session is active in it; ErrNoSession otherwise.
func (p *Project) Active(ctx context.Context) (registry.State, error) {
	state, err := p.Store.View(ctx)
	if err != nil {
		return registry.State{}, err
	}
	if state.Session == nil {
		return state, ErrNoSession
	}
	return state, nil
}

// ErrNoSession says that no session is active in this repository.
var ErrNoSession = errors.New("no delegation session is active")

// Target is the commit of the branch that a session lands on; *TargetGoneError if somebody deleted or renamed it,
// *TargetBrokenError if it is there and git cannot read what it names.
func (p *Project) Target(ctx context.Context, s registry.Session) (string, error) {
	ref := "refs/heads/" + s.Target
	tip, err := p.Repo.Resolve(ctx, ref)
	switch {
	case errors.Is(err, git.ErrBroken):
		at, _, err := p.Repo.Ref(ctx, ref)
		if err != nil && !errors.Is(err, git.ErrBroken) {
			return "", err
		}
		return "", &TargetBrokenError{Branch: s.Target, Commit: at}
	case errors.Is(err, git.ErrNoCommit):
		return "", &TargetGoneError{Branch: s.Target, Base: s.Base}
	}
	return tip, err
}

// Behind is how many commits the branch lacks of the one that it follows, as that was last fetched, and that one's
// name; 0 and "" for a branch that follows none.
func (p *Project) Behind(ctx context.Context, branch string) (commits int, upstream string, err error) {
	u, err := p.Repo.UpstreamOf(ctx, branch)
	if errors.Is(err, git.ErrNoRemote) {
		return 0, "", nil
	}
	if err != nil {
		return 0, "", err
	}
	tip, found, err := p.Repo.Ref(ctx, "refs/remotes/"+u.String())
	if err != nil || !found {
		return 0, "", err
	}
	_, commits, err = p.Repo.Subjects(ctx, "refs/heads/"+branch, tip, 0)
	return commits, u.String(), err
}

// TargetBrokenError says that the branch a session lands on is there and names a commit that git
// cannot read, as after a power cut.
type TargetBrokenError struct {
	Branch string
	Commit string // "" if not even its name can be read
}

func (e *TargetBrokenError) Error() string {
	if e.Commit == "" {
		return fmt.Sprintf("the branch %q that this session merges into is damaged: its file names no commit", e.Branch)
	}
	return fmt.Sprintf("the branch %q that this session merges into is damaged: it names commit %.12s, which git "+
		"cannot read", e.Branch, e.Commit)
}

// TargetGoneError says that the branch a session lands on is not there any more.
type TargetGoneError struct{ Branch, Base string }

func (e *TargetGoneError) Error() string {
	if e.Branch == "" {
		return "the record of this session names no branch that it merges into"
	}
	return fmt.Sprintf("the branch %q that this session merges into is gone", e.Branch)
}

// Edits lists the person's own staged, unstaged and untracked files in the checkout of the command,
// without this program's.
func (p *Project) Edits(ctx context.Context) ([]git.StatusEntry, error) {
	all, err := p.Repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	var edits []git.StatusEntry
	for _, e := range all {
		if !OwnFile(e.Path) {
			edits = append(edits, e)
		}
	}
	return edits, nil
}

// exists says whether something lies at the path; a path that cannot be looked at counts as existing.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// PlaceError says why no session can start in this repository as it lies, and what would make one
// possible.
type PlaceError struct{ Why, Next string }

func (e *PlaceError) Error() string { return e.Why }

// CheckPlaces is a *PlaceError where agents could be given neither worktree nor branch, or nothing
// could be recorded or saved.
func (p *Project) CheckPlaces(ctx context.Context) error {
	for _, path := range []string{p.Main, p.Repo.CommonDir, p.WorktreeRoot()} {
		switch {
		case strings.ContainsAny(path, "\r\n"):
			return &PlaceError{fmt.Sprintf(
				"the path %q has a line break in it, which git cannot have in its configuration", path),
				"move or rename that folder (or name another one: worktree_dir in .delegate.yaml)"}
		case !utf8.ValidString(path):
			return &PlaceError{fmt.Sprintf("the path %q is not UTF-8, and what agents may write is noted in UTF-8",
				path), "move or rename that folder (or name another one: worktree_dir in .delegate.yaml)"}
		}
	}
	if blocked(p.WorktreeRoot()) {
		return &PlaceError{fmt.Sprintf("%q is no folder, and agents' worktrees belong in one of that name",
			p.WorktreeRoot()), "move it away, or name another folder: worktree_dir in .delegate.yaml"}
	}
	for _, name := range []string{"docs", "docs/logs"} {
		if p.Config.Record == config.RecordPrivate {
			break
		}
		if path := filepath.Join(p.Main, filepath.FromSlash(name)); blocked(path) {
			return &PlaceError{fmt.Sprintf("%q is no folder, and the registry belongs into %s", path, RegistryPath),
				"git mv " + run.Quote(name) + " " + run.Quote(name+".txt") +
					", or move it away otherwise, and commit that"}
		}
	}
	_, found, err := p.Repo.Ref(ctx, "refs/heads/delegate")
	if err == nil && found {
		err = &PlaceError{`a branch is named "delegate", and git then takes no branch "delegate/…", which agents work on`, "git branch -m delegate NEW-NAME"}
	}
	if err == nil && !p.Inside {
		err = p.CheckWritable()
	}
	return err
}

// blocked says that something which is no folder lies at the path.
func blocked(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		info, err = os.Lstat(path) // a link to nowhere
	}
	return err == nil && info.Mode()&fs.ModeDir == 0
}
