package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/text/ui"
	"delegate/scope"
)

// Facts are what the repository and the configuration say at the time of planning.
type Facts struct {
	Files       []string // the tracked files of the base
	Tests       []string // those of them that hold tests
	ScopeLimit  int      // how many existing files one scope may match; 0 is no limit
	MaxParallel int      // how many agents may run at the same time; 0 is no limit
	ContextCap  int      // how many bytes of a context an agent is handed; 0 is no limit
	// NoNamespaces says that agents are held by Landlock alone, which has no names inside of a folder.
	NoNamespaces bool
}

// The limits of a plan file.
const (
	MaxSize     = 1 << 20 // bytes
	maxSubtasks = 100
	maxFaults   = 100 // that are told, of a file that is no plan at all
)

// TaskType says what kind of work a subtask is;
// it sets how long its agent may be silent.
type TaskType string

// The task types. A subtask that names none is Standard.
const (
	Quick         TaskType = "QUICK"
	Standard      TaskType = "STANDARD"
	Research      TaskType = "RESEARCH"
	Orchestration TaskType = "ORCHESTRATION"
)

// The values of Subtask.Complexity. A subtask that names none is Medium.
const (
	Low    = "Low"
	Medium = "Medium"
	High   = "High"
)

// Plan is a task split into subtasks.
type Plan struct {
	Title     string    // names the whole task, in one line
	Reasoning string    // why it is split this way, and notes that stood between subtasks
	Subtasks  []Subtask // in the order of the file, which need not be that of their numbers
}

// Subtask is one part of a plan, done by one agent. What is empty in the last fields is as the profile or the
// configuration says.
type Subtask struct {
	Number               int    // positive and unique in the plan; dependencies name it
	Name                 string // one line
	Description, Context string // what to do, and what the agent must know to do it
	Allowed, Forbidden   []string
	Type                 TaskType
	Complexity           string   // Low, Medium or High
	Dependencies         []int    // the numbers of the subtasks that must come before, ascending
	ExpectedOutputs      []string // paths or patterns of files that exist when the work is done
	Task                 string   // the objective of the progress file that it claims, in one line; "" is none
	Line                 int      // where its heading stands, from 1; 0 if it comes from no file

	Agent         string // a profile
	Model, Effort string // of its program
	On            string // the engine that its turns run on
	Budget        string // such as 2.00 US$, 5M tokens
}

// ContextMode says whether every subtask must have a context.
type ContextMode int

// The modes: a missing context is a fault, or none.
const (
	ContextRequired ContextMode = iota
	ContextOptional
)

// Options are what the configuration and the command line say about all subtasks.
type Options struct {
	Context   ContextMode
	Roots     []string // patterns that bound every scope; none means no bound
	Forbidden []string // patterns added to the forbidden ones of every subtask
	// Whole accepts subtasks that may write the whole repository. The parts of a plan are told apart by their
	// scopes, so a plan file has none of these.
	Whole   bool
	Agents  []string // the profiles that a subtask may name; none accepts every name
	Engines []string // the places that a subtask may name with On
}

// Scope returns what the subtask's agent may write.
// The error is a *scope.FaultsError.
func (s Subtask) Scope(o Options) (*scope.Scope, error) {
	if scope.IsEverything(s.Allowed) && !o.Whole {
		return nil, &scope.FaultsError{Faults: []*scope.PatternError{{Field: "allowed", Pattern: scope.Everything,
			Reason: "matches every path; name the folders or files of the task"}}}
	}
	return scope.New(scope.Config{
		Allowed:   s.Allowed,
		Forbidden: slices.Concat(s.Forbidden, o.Forbidden),
		Roots:     o.Roots,
	})
}

// Fault is one thing that is wrong in a plan.
type Fault struct {
	// Line counts from 1; it is 0 in a plan that comes from no file.
	Line int
	// Reason says what is wrong and what to write instead.
	Reason string
}

// Faults is everything that is wrong in a plan, in the order of lines.
type Faults struct {
	List []Fault // never empty
}

// Error returns one line for each fault.
func (f *Faults) Error() string {
	out := make([]string, len(f.List))
	for i, one := range f.List {
		out[i] = one.Reason
		if one.Line > 0 {
			out[i] = fmt.Sprintf("line %d: %s", one.Line, one.Reason)
		}
	}
	return strings.Join(out, "\n")
}

// asError sorts and bounds the faults; without any the error is nil.
func asError(list []Fault) error {
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	if more := len(list) - maxFaults; more > 0 {
		list = append(list[:maxFaults], Fault{list[maxFaults].Line, ui.Plural(more, "more fault") + " from here on"})
	}
	return &Faults{List: list}
}
