package compare

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"delegate/conflict"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/intake/takeover"
	"delegate/internal/land/analyze"
	"delegate/internal/land/review"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// Comparer compares lines of work in a quarantine, so that no object of a comparison stays behind. It holds readers and
// a child process that Close gives back.
type Comparer struct {
	p        *project.Project
	objects  *objects.Reader
	scratch  string // folder of what comparisons write, "" before the first
	held     *git.Repo
	pairs    *objects.Reader            // of the quarantine
	remove   func() error               // removes scratch
	bases    map[[2]string]string       // of two commits their only merge base, as far as it was looked for
	check    func() []conflict.Checker  // programs that confirm or refute what is suspected
	analysis *analyze.Analysis          // reads what agents wrote, with a memory of its own
	reports  map[string]conflict.Report // of these programs, by program, tree and files
	left     time.Duration              // that these programs may still take in this comparison
	onto     *cache                     // what candidates do to what they are merged onto, nil until asked for
	complete bool                       // what the last comparison found is all that another one would find
	reported struct {                   // of ReportTips
		tips   []objects.Span
		unread []conflict.Finding
	}
}

// New opens what comparing needs.
func New(p *project.Project) *Comparer {
	r := &Comparer{p: p, objects: objects.New(p.Repo), bases: map[[2]string]string{},
		reports: map[string]conflict.Report{}}
	r.check = sync.OnceValue(r.installed)
	r.analysis = analyze.New(analyze.Options{Fence: r.fence, Limit: p.Config.AnalysisLimit.Value(), Programs: r.check})
	return r
}

// fence is the fence of the analysis.
func (r *Comparer) fence(ctx context.Context, needed []string) (*keeper.Fence, error) {
	if err := r.open(); err != nil {
		return nil, err
	}
	return r.p.FenceAnalysis(ctx, filepath.Join(r.scratch, "analysis"), needed)
}

// knowing is what tells comparisons at this depth from those of others by the same program.
func (r *Comparer) knowing(depth analyze.Depth) (known string, checkers bool) {
	known = build() + " " + r.p.Config.AnalysisLimit.String()
	if depth != analyze.Checked {
		return known, false
	}
	found := r.found()
	for _, p := range found {
		known += " " + p.name
	}
	return known, len(found) > 0
}

// remembered is what a file has that was found at this depth by those who know as much as now. Checkers run in a fence:
// whether there is one costs a process to find out, which is spared where what is remembered was found with their help.
func (r *Comparer) remembered(depth analyze.Depth, name string) (m *cache, checkers bool) {
	known, checkers := r.knowing(depth)
	m = loadCache(filepath.Join(r.p.Private, "conflicts-"+name+".gob"), known)
	if checkers && len(m.Pairs) > 0 && !m.Fenced && r.p.Inspects() {
		clear(m.Pairs)
	}
	return m, checkers
}

// Close gives open files back and removes what comparisons wrote.
func (r *Comparer) Close() error {
	err := errors.Join(r.analysis.Close(), r.objects.Close())
	if r.scratch != "" {
		err = errors.Join(err, r.pairs.Close(), r.remove())
	}
	return err
}

// open makes the quarantine in which comparisons work, so that no object of theirs stays behind.
func (r *Comparer) open() error {
	if r.scratch != "" {
		return nil
	}
	var err error
	if r.scratch, r.remove, err = atomicfile.Scratch("delegate-compare-"); err != nil {
		return err
	}
	if r.held, err = r.p.Repo.Quarantine(r.scratch); err != nil {
		return err
	}
	r.pairs = objects.New(r.held)
	return nil
}

// cache is what comparisons found, by what they compared. Deleting its file only costs time.
type cache struct {
	file  string
	Build string // the program that found it and the checkers it had; others may know better
	// Fenced says that there was a fence for the checkers at every look.
	Fenced bool
	Pairs  map[string]seen
	// ReviewOf is of what the rules of the review said Review last, "" if nothing was kept.
	ReviewOf string
	Review   []review.Remark
	grown    bool
	// passing are the keys of what is not kept, since another look may say more.
	passing []string
}

// seen is one pair that was looked at.
type seen struct {
	Base  string // the only merge base, "" where there are more or none
	Found []conflict.Finding
	// Lasting is that of a step by itself, see analyze.Result.
	Lasting bool
}

// loadCache reads what was found by the program that is named. A file that cannot be read is forgotten.
func loadCache(file, now string) *cache {
	m := &cache{file: file}
	if m.read() != nil || m.Build != now {
		*m = cache{file: file, Build: now}
	}
	if m.Pairs == nil {
		m.Pairs = map[string]seen{}
	}
	return m
}

// read takes over what the file has. It is no JSON, which takes long to read where all pairs of many branches clash.
func (m *cache) read() error {
	data, err := os.ReadFile(m.file)
	if err != nil {
		return err
	}
	return gob.NewDecoder(bytes.NewReader(data)).Decode(m)
}

// build tells one build of the program from another.
func build() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return strconv.FormatInt(info.ModTime().UnixNano(), 36) + "-" + strconv.FormatInt(info.Size(), 36)
}

func pairKey(p [2]objects.Span) string {
	key := ""
	for _, t := range p {
		key += strconv.Quote(t.Name) + " " + t.Base + " " + t.Head + " "
		if t.Moving {
			key += "moving "
		}
	}
	return key
}

func (m *cache) add(c comparison) {
	key, base := pairKey(c.tips), ""
	if c.sole {
		base = c.base
	}
	m.Pairs[key] = seen{Base: base, Found: c.result.Found}
	if c.result.Transient {
		m.passing = append(m.passing, key)
		return
	}
	m.grown = true
}

// mostRemembered bounds the memory; beyond it only the pairs of the last comparison are kept.
const mostRemembered = 8192

// save writes what is new. In a repository where nothing can be written, nothing is remembered.
func (m *cache) save(last [][2]objects.Span) {
	if !m.grown {
		return
	}
	if len(m.Pairs) > mostRemembered {
		kept := map[string]seen{}
		for _, p := range last {
			kept[pairKey(p)] = m.Pairs[pairKey(p)]
		}
		m.Pairs = kept
	}
	for _, key := range m.passing {
		delete(m.Pairs, key)
	}
	if os.MkdirAll(filepath.Dir(m.file), 0o700) == nil {
		var data bytes.Buffer
		if gob.NewEncoder(&data).Encode(m) == nil {
			_ = atomicfile.WriteUnsynced(m.file, data.Bytes(), 0o600)
		}
	}
}

// NamedTips resolves references, commits or worktree folders, with their uncommitted work, for a
// comparison without a session.
func (r *Comparer) NamedTips(ctx context.Context, names []string, base string) ([]objects.Span, error) {
	err := r.open()
	if err == nil && base != "" {
		base, err = r.pairs.Commit(ctx, base)
	}
	if err != nil {
		return nil, err
	}
	heads, err := r.pairs.Commits(ctx, names)
	if err != nil {
		return nil, err
	}
	tips := make([]objects.Span, len(names))
	for i, name := range names {
		if heads[i] == "" {
			if heads[i], err = r.resolveTip(ctx, name); err != nil {
				return nil, err
			}
		}
		tips[i] = objects.Span{Name: name, Base: base, Head: heads[i]}
	}
	return tips, nil
}

func (r *Comparer) resolveTip(ctx context.Context, name string) (string, error) {
	head, err := r.pairs.Commit(ctx, name)
	if !errors.Is(err, git.ErrNoCommit) {
		return head, err
	}
	if info, statErr := os.Stat(name); statErr != nil || !info.IsDir() {
		return "", err
	}
	repo, err := git.Open(ctx, name)
	if err != nil {
		return "", err
	}
	if repo.CommonDir != r.p.Repo.CommonDir {
		return "", fmt.Errorf("resolve %q: it is a worktree of another repository", name)
	}
	if head, err = repo.Resolve(ctx, "HEAD"); err != nil {
		return "", err
	}
	return r.withUncommitted(ctx, repo, name, head)
}

// withUncommitted is a commit of the worktree as it is, in the quarantine; the head if nothing in it is uncommitted.
func (r *Comparer) withUncommitted(ctx context.Context, repo *git.Repo, name, head string) (string, error) {
	held, err := repo.Quarantine(r.scratch)
	if err != nil {
		return "", err
	}
	index, err := os.MkdirTemp(r.scratch, "index-")
	if err != nil {
		return "", fmt.Errorf("look at %q: %w", name, err)
	}
	tree, err := held.Snapshot(ctx, filepath.Join(index, "index"), head, nil)
	if err != nil {
		return "", err
	}
	clean, err := held.TreeOf(ctx, head)
	if err != nil || clean == tree {
		return head, err
	}
	return held.CommitTree(ctx, tree, "Work in "+name+"\n", head)
}

// SharedBase is the commit that a report names as the base: the given one, else the merge base of
// the first two tips, "" if there is none.
func (r *Comparer) SharedBase(ctx context.Context, tips []objects.Span, given string) (string, error) {
	if err := r.open(); err != nil {
		return "", err
	}
	if given != "" {
		return r.pairs.Commit(ctx, given)
	}
	if len(tips) < 2 {
		return "", nil
	}
	if known := r.bases[[2]string{tips[0].Head, tips[1].Head}]; known != "" {
		return known, nil
	}
	shared, err := r.held.MergeBase(ctx, tips[0].Head, tips[1].Head)
	if errors.Is(err, git.ErrNoMergeBase) {
		return "", nil
	}
	return shared, err
}

// WithWork are the agents that have work which has not landed.
func WithWork(state registry.State) (agents []registry.Agent) {
	for _, a := range state.Agents {
		switch a.Status {
		case registry.Running, registry.Checkpoint, registry.Complete, registry.Failed:
			if a.Turns > 0 {
				agents = append(agents, a)
			}
		}
	}
	return agents
}

// Unread is the finding that an agent's work could not be read, which keeps nobody else's from being merged.
func Unread(id string, err error) conflict.Finding {
	return conflict.Finding{Type: conflict.FileConflict, Severity: conflict.Error, Certainty: conflict.Unknown,
		Blocking: true, Agents: []string{id}, Places: []conflict.Place{},
		Message: "The work of " + id + " could not be read: " + err.Error() + ".",
		Advice:  "Fix that, and it is compared again; the others can be merged without it."}
}

// ReportTips returns SessionTips, which NextTips returns once more.
func (r *Comparer) ReportTips(ctx context.Context, state registry.State) (tips []objects.Span,
	unread []conflict.Finding, err error) {
	tips, unread, err = SessionTips(ctx, r.p, state)
	r.reported.tips, r.reported.unread = tips, unread
	return tips, unread, err
}

// NextTips returns what a report has just read with ReportTips, else SessionTips.
func (r *Comparer) NextTips(ctx context.Context, state registry.State) (tips []objects.Span,
	unread []conflict.Finding, err error) {
	if tips, unread = r.reported.tips, r.reported.unread; tips == nil {
		return SessionTips(ctx, r.p, state)
	}
	r.reported.tips = nil
	return tips, unread, nil
}

// SessionTips are the agents with work, also uncommitted and also while they run, and last the target, with what others
// merged of the session in its remote. Where the target went another way there, its commit there is a tip of its own.
// An agent whose work cannot be read is no tip, and a finding.
func SessionTips(ctx context.Context, p *project.Project, state registry.State) (tips []objects.Span,
	unread []conflict.Finding, err error) {
	target, err := p.Target(ctx, *state.Session)
	if err != nil {
		return nil, nil, err
	}
	agents := WithWork(state)
	for i, work := range project.ReadEach(ctx, p.Seen, state.Session.ID, agents, target) {
		a := agents[i]
		switch {
		case errors.Is(work.Err, takeover.ErrGone):
			continue
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case work.Err != nil:
			unread = append(unread, Unread(a.ID, work.Err))
			continue
		}
		tips = append(tips, objects.Span{Name: a.ID, Base: work.Fork, Head: work.Head, BestOf: a.BestOf,
			Moving: a.Status == registry.Running})
	}
	missing, err := session.FindUnpulled(ctx, p, state, target)
	switch {
	case err != nil:
		return nil, nil, err
	case missing.Behind:
		target = missing.Tip
	case !missing.None():
		tips = append(tips, objects.Span{Name: missing.Place, Head: missing.Tip})
	}
	return append(tips, objects.Span{Name: project.TargetName, Head: target}), unread, nil
}
