package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/checkpoint"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/text/notes"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// rateLimit is a turn that must not begin before a time.
type rateLimit struct {
	Until time.Time `json:"until"`
}

// RateLimitFile is there while the agent's next turn waits for the end of a rate limit.
func RateLimitFile(p *project.Project, session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), "hold.json")
}

// SetRateLimit holds the agent's next turn back until a time.
func SetRateLimit(p *project.Project, session string, a registry.Agent, until time.Time) error {
	return atomicfile.WriteJSON(RateLimitFile(p, session, a), rateLimit{until})
}

// RateLimited reports whether the agent's next turn waits for the end of a rate limit.
func RateLimited(p *project.Project, session string, a registry.Agent) bool {
	limit, err := readFile[rateLimit](RateLimitFile(p, session, a))
	return err == nil && limit.Until.After(p.Now())
}

// Interruption says with the turn who interrupts it and whether a message is to be delivered then.
type Interruption struct {
	By      string `json:"by"`
	Deliver bool   `json:"deliver"`
}

func interruptFile(t keeper.Turn) string { return filepath.Join(t.Dir, "interrupt.json") }

// Keep writes the interruption down, before it is done.
func (n Interruption) Keep(t keeper.Turn) error { return atomicfile.WriteJSON(interruptFile(t), n) }

// ReadInterruption is who interrupted the turn, as noted before it was done.
func ReadInterruption(t keeper.Turn) (by string, deliver bool) {
	n, _ := readFile[Interruption](interruptFile(t)) // without a note it was somebody else
	return cmp.Or(strings.TrimSpace(n.By), "a signal from outside"), n.Deliver
}

// OpenConflict is a clash between agents' work that has a row and still is in their work.
type OpenConflict struct {
	Agent  string    `json:"agent"`
	Agents [2]string `json:"agents"` // both sides, the target by its name
	Target bool      `json:"target"` // it is with the target, and the agent cannot be merged as it is
	Text   string    `json:"text"`
	Since  time.Time `json:"since"`
	Seen   bool      `json:"seen"` // a person knows it
	// Blocks are the two agents of whose work the second to be merged cannot be merged as it is; empty if it can.
	Blocks [2]string `json:"blocks"`
}

// Other is the other one of two agents that block one another, "" for anybody else.
func (c OpenConflict) Other(agent string) string {
	switch agent {
	case c.Blocks[0]:
		return c.Blocks[1]
	case c.Blocks[1]:
		return c.Blocks[0]
	}
	return ""
}

// Compared are the heads of agents at which their work was looked at together last, by their ids.
type Compared map[string]string

func comparedFile(p *project.Project, session string) string {
	return filepath.Join(p.AgentState(session, ""), "compared.json")
}

// Keep notes them, after the conflicts that were found. Where the note is lost, all is compared again.
func (c Compared) Keep(p *project.Project, session string) error {
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("note what was compared: %w", err)
	}
	return atomicfile.WriteUnsynced(comparedFile(p, session), data, 0o600)
}

// ReadCompared are the heads that were compared last; none where nothing was, or it cannot be read.
func ReadCompared(p *project.Project, session string) Compared {
	c, err := readFile[Compared](comparedFile(p, session))
	if err != nil {
		return nil
	}
	return c
}

func conflictsFile(p *project.Project, session string) string {
	return filepath.Join(p.AgentState(session, ""), "conflicts.json")
}

// ReadConflicts are the open conflicts of a session by their names. If they are lost, they are
// found and recorded again.
func ReadConflicts(p *project.Project, session string) (map[string]OpenConflict, error) {
	return readFile[map[string]OpenConflict](conflictsFile(p, session))
}

// ChangeConflicts changes them under their lock.
func ChangeConflicts(ctx context.Context, p *project.Project, session string,
	change func(map[string]OpenConflict) error) error {
	return changeMap(ctx, conflictsFile(p, session), change)
}

// OpenBreach is a breach that stands in the registry and still is in the agent's work.
type OpenBreach struct {
	Turn      int       `json:"turn"`  // in which its last row was written
	State     string    `json:"state"` // what the path has, by mode and id
	Reason    string    `json:"reason"`
	Allowable bool      `json:"allowable"`
	Since     time.Time `json:"since"`
	Answered  bool      `json:"told"` // a person sent it back to the agent
}

// ReadBreaches are the open breaches of an agent's attempt by their paths. If they are lost, they
// are found and recorded again.
func ReadBreaches(p *project.Project, session string, a registry.Agent) (map[string]OpenBreach, error) {
	return readFile[map[string]OpenBreach](breachesFile(p, session, a))
}

func breachesFile(p *project.Project, session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), fmt.Sprintf("violations-%d.json", a.Attempt))
}

// ChangeBreaches changes them under their lock.
func ChangeBreaches(ctx context.Context, p *project.Project, session string, a registry.Agent,
	change func(map[string]OpenBreach)) error {
	return changeMap(ctx, breachesFile(p, session, a), func(open map[string]OpenBreach) error {
		change(open)
		return nil
	})
}

// FailedTests tells that the verify commands failed on an agent's work merged into the target.
type FailedTests struct {
	Head    string `json:"head"`    // the agent's
	Tip     string `json:"tip"`     // the target's
	Command string `json:"command"` // the one that failed
}

func failedTestsFile(p *project.Project, session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), fmt.Sprintf("failed-tests-%d.json", a.Attempt))
}

// ReadFailedTests tells of the agent's work as it is now: the zero value where its tests did not
// fail, or were not run. It is lost with the private folder, and found again by the next landing.
func ReadFailedTests(p *project.Project, session string, a registry.Agent) FailedTests {
	f, err := readFile[FailedTests](failedTestsFile(p, session, a))
	if err != nil || f.Head != a.Head {
		return FailedTests{}
	}
	return f
}

// Keep remembers it, and forgets with the zero value what was remembered.
func (f FailedTests) Keep(p *project.Project, session string, a registry.Agent) error {
	return keepOrForget(failedTestsFile(p, session, a), f)
}

// FailingTarget tells that the target does not pass its own verify commands, without the work of any agent.
type FailingTarget struct {
	Tip     string `json:"commit"`
	Command string `json:"command"` // the one that failed
	Reason  string `json:"reason"`
}

func failingTargetFile(p *project.Project, session string) string {
	return filepath.Join(p.AgentState(session, ""), "failing-target.json")
}

// ReadFailingTarget tells what was seen last when work was merged onto the target, which may have moved since: the zero
// value where it passed, or was not looked at. It is lost with the private folder, and found again by the next landing.
func ReadFailingTarget(p *project.Project, session string) FailingTarget {
	f, err := readFile[FailingTarget](failingTargetFile(p, session))
	if err != nil {
		return FailingTarget{}
	}
	return f
}

// Is says whether the target fails by itself what failed on a merge with it.
func (f FailedTests) Is(t FailingTarget) bool { return f.Tip == t.Tip && f.Command == t.Command }

// Keep remembers it for the session, and forgets with the zero value what was remembered.
func (f FailingTarget) Keep(p *project.Project, session string) error {
	return keepOrForget(failingTargetFile(p, session), f)
}

// keepOrForget writes what is known into a file, or removes it where nothing is.
func keepOrForget[T comparable](path string, known T) error {
	var nothing T
	if known != nothing {
		return atomicfile.WriteJSON(path, known)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget failed tests: %w", err)
	}
	return nil
}

// RecordedRows are, by path, how many rows of the agent's attempt tell of its change outside of the scope and of
// nothing else, mended or not: 0 where a row tells of several paths. What an agent was refused is no change and not
// among them.
func RecordedRows(p *project.Project, session string, a registry.Agent) (map[string]int, error) {
	return readFile[map[string]int](recordedFile(p, session, a))
}

func recordedFile(p *project.Project, session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), fmt.Sprintf("violations-%d-rows.json", a.Attempt))
}

// AddRecordedRows adds rows that were written. If that is lost, paths may be told once more.
func AddRecordedRows(ctx context.Context, p *project.Project, session string, a registry.Agent,
	rows map[string]int) error {
	if len(rows) == 0 {
		return nil
	}
	return changeMap(ctx, recordedFile(p, session, a), func(all map[string]int) error {
		for path, n := range rows {
			all[path] += n
		}
		return nil
	})
}

// RefusedKinds are the kinds of what the kernel refused in the turn of which a row tells.
func RefusedKinds(t keeper.Turn) (map[string]bool, error) {
	return readFile[map[string]bool](refusedFile(t))
}

func refusedFile(t keeper.Turn) string { return filepath.Join(t.Dir, "refused-recorded.json") }

// AddRefusedKinds notes that rows tell of the kinds. If that is lost, they may be told once more.
func AddRefusedKinds(ctx context.Context, t keeper.Turn, kinds []string) error {
	return changeMap(ctx, refusedFile(t), func(all map[string]bool) error {
		for _, kind := range kinds {
			all[kind] = true
		}
		return nil
	})
}

// Outside is a change outside of an agent's scope that a person has not answered.
type Outside struct {
	Path, Reason string
	Allowable    bool // the scope can be widened by it
}

func (o Outside) String() string { return project.Breach{Path: o.Path, Reason: o.Reason}.String() }

// MonitorIndex is the file in which git remembers what the base of an attempt looks like in the worktree.
func MonitorIndex(p *project.Project, session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), fmt.Sprintf("index-watch-%d", a.Attempt))
}

// TurnReport is what is kept beside a turn for whoever reviews it.
type TurnReport struct {
	Block       string   `json:"block,omitempty"` // the last valid block, as it would be printed
	Differences []string `json:"differences"`     // claims that the evidence does not bear out
	// Claims are all of the block's claims beside the evidence, those that hold as well.
	Claims     []checkpoint.Row `json:"claims"`
	Breaches   []string         `json:"breaches"`
	Missing    []string         `json:"missing_outputs"`
	Completion string           `json:"completion,omitempty"` // summary and caveats of completion.json
	Summary    string           `json:"summary,omitempty"`    // its closing words, whole
	ExitCode   int              `json:"exit_code"`
	Tail       string           `json:"tail"`
}

func reportFile(t keeper.Turn) string { return filepath.Join(t.Dir, "report.json") }

// Keep writes the report beside its turn.
func (r TurnReport) Keep(t keeper.Turn) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("keep report: %w", err)
	}
	return atomicfile.WriteFile(reportFile(t), data, 0o600)
}

// EarlierClaims are the claims of the turns before an agent's last one, of the same attempt.
func EarlierClaims(p *project.Project, session string, a registry.Agent) (all []checkpoint.Row) {
	for n := a.Turns - 1; n > 0; n-- {
		turn := keeper.Turn{Dir: p.TurnDir(session, a.ID, n)}
		if spec, err := turn.Spec(); err != nil || spec.Attempt != a.Attempt {
			break
		}
		if r, err := readFile[*TurnReport](reportFile(turn)); err == nil && r != nil {
			all = append(all, r.Claims...)
		}
	}
	return all
}

// ReadReport is the report of the last ended turn of an agent's attempt; the zero report if there is none.
func ReadReport(p *project.Project, session string, a registry.Agent) TurnReport {
	r, _ := lastReport(p, session, a)
	return r
}

func lastReport(p *project.Project, session string, a registry.Agent) (TurnReport, keeper.Turn) {
	for n := a.Turns; n > 0; n-- {
		turn := keeper.Turn{Dir: p.TurnDir(session, a.ID, n)}
		if spec, err := turn.Spec(); err == nil && spec.Attempt != a.Attempt {
			break
		}
		if r, err := readFile[*TurnReport](reportFile(turn)); err == nil && r != nil {
			return *r, turn
		}
	}
	return TurnReport{}, keeper.Turn{}
}

// TakeBack takes paths that a person put back out of the report of an agent's last turn: what it said of them is about
// a state that is no more. What still is outside of its scope is named anew. It answers what is left.
func TakeBack(p *project.Project, session string, a registry.Agent, paths, breaches []string) (TurnReport, error) {
	r, turn := lastReport(p, session, a)
	if turn.Dir == "" {
		return r, nil
	}
	var claims []checkpoint.Row
	differences := []string{}
	for _, c := range r.Claims {
		var said []string
		if c.Differs && len(r.Differences) > 0 { // one for each row that differs, in the same order
			said, r.Differences = r.Differences[:1], r.Differences[1:]
		}
		if !slices.ContainsFunc(paths, func(path string) bool {
			return c.Path == path || strings.HasPrefix(c.Path, path+"/")
		}) {
			claims, differences = append(claims, c), append(differences, said...)
		}
	}
	r.Claims, r.Differences, r.Breaches = claims, differences, breaches
	return r, r.Keep(turn)
}

// noticeFolder has a file for each notice, named by its time.
func noticeFolder(p *project.Project) string { return filepath.Join(p.Private, "kept-notices") }

// KeepNotices writes what the next command prints for a person.
func KeepNotices(p *project.Project, notices []string) error {
	for i, n := range notices {
		name := fmt.Sprintf("%d-%d-%d", p.Now().UnixNano(), os.Getpid(), i)
		if err := atomicfile.WriteUnsynced(filepath.Join(noticeFolder(p), name),
			[]byte(strings.Join(strings.Fields(n), " ")), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// TakeNotices calls show with each notice that was kept, and removes it then. While another process does that, it
// leaves them to that. Where nothing can be written they are shown, and stay.
func TakeNotices(p *project.Project, show func(string)) error {
	folder := noticeFolder(p)
	if entries, err := os.ReadDir(folder); errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	lock, err := atomicfile.TryLock(folder + ".lock")
	if errors.Is(err, atomicfile.ErrLocked) {
		return nil
	}
	kept := err != nil
	if !kept {
		defer lock.Unlock()
	}
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue // it is being written
		}
		notice, unread := os.ReadFile(path)
		if err = errors.Join(err, unread); unread != nil {
			continue
		}
		if show(string(notice)); !kept {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return err
}

// The files of Notes and Learnings, beside the registry. Who writes one places it first.
const (
	NotesName     = "delegation_notes.md"
	LearningsName = "delegation_learnings.md"
)

// Notes is the file of notes that everybody in the project shares. Agents add to it through their inbox only.
func Notes(p *project.Project) notes.Notes {
	return notes.Notes{Path: p.RecordFile(NotesName),
		Lock: filepath.Join(p.Private, "notes.lock")}
}

// Learnings is the file of what failed before.
func Learnings(p *project.Project) notes.Learnings {
	return notes.Learnings{Path: p.RecordFile(LearningsName),
		Lock: filepath.Join(p.Private, "learnings.lock")}
}

const (
	HistoryInPrompt = 16 << 10
	LargestHistory  = 1 << 20
)

// HistoryName is the file in its folder in which an agent writes what it wants to know later.
const HistoryName = "history.md"

// readFile reads what a private file holds; the zero value if there is none.
func readFile[T any](path string) (value T, err error) {
	if err = atomicfile.ReadJSON(path, &value); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return value, fmt.Errorf("read %q: %w", path, err)
	}
	return value, nil
}

// lockFile keeps others from changing a private file: the supervisor and a person's commands do.
func lockFile(ctx context.Context, path string) (*atomicfile.Guard, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make private folder: %w", err)
	}
	return atomicfile.Lock(ctx, path+".lock")
}

// changeMap changes the map that a private file holds, under its lock. It writes nothing if nothing changed.
func changeMap[V comparable](ctx context.Context, path string, change func(map[string]V) error) error {
	lock, err := lockFile(ctx, path)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	before, err := readFile[map[string]V](path)
	if err != nil {
		return err
	}
	after := map[string]V{}
	maps.Copy(after, before)
	if err := change(after); err != nil || maps.Equal(before, after) {
		return err
	}
	return atomicfile.WriteJSON(path, after)
}
