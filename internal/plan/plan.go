package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"delegate/scope"
)

// Facts are what the repository and the configuration say at the time of planning.
// Those of the code and of the history are for advice only, and any of them may be missing.
type Facts struct {
	// Files are the tracked files of the base.
	Files []string
	// Tests are those of them that hold tests.
	Tests []string
	// ScopeLimit is how many existing files one scope may match; 0 is no limit.
	ScopeLimit int
	// MaxParallel is how many agents may run at the same time; 0 is no limit.
	MaxParallel int
	// ContextCap is how many bytes of a context an agent is handed; 0 is no limit.
	ContextCap int
	// Symbols are what the source files define, by file and line.
	Symbols []Symbol
	// Links are which file needs which.
	Links []Link
	// Together are the pairs of files that history changes together, the most frequent first.
	Together []Together
	// Gaps say in words what of the repository was not read.
	Gaps []string
}

// Symbol is one definition.
type Symbol struct {
	// Name is the dotted path inside of the file: "Bucket.Take" for a method.
	Name string
	Path string
	Line int
}

// Link says that the file From needs the file To.
type Link struct {
	// Line is where From says so first.
	From, To string
	Line     int
	// Symbol is what To defines on line At and From uses, "" for an import of which no more is known.
	Symbol string
	At     int
}

// Together is a pair of files that commits change together.
type Together struct {
	// A comes before B in the order of paths.
	A, B string
	// Count is how many commits changed both, Of how many changed the one of them that changes less often.
	Count, Of int
	// Commit is the newest that changed both.
	Commit string
}

// The limits of a plan file.
const (
	// MaxSize is the largest plan that is read, in bytes.
	MaxSize = 1 << 20
	// MaxSubtasks is the most subtasks that one plan can have.
	MaxSubtasks = 100
	// maxFaults bounds a report about a file that is no plan at all.
	maxFaults = 100
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
	// Title names the whole task, in one line.
	Title string
	// Reasoning is the free text of the plan: why it is split this way.
	// Notes that stood between subtasks are part of it.
	Reasoning string
	// Subtasks are in the order of the file, which need not be that of their numbers.
	Subtasks []Subtask
}

// Subtask is one part of a plan, done by one agent.
type Subtask struct {
	// Number is positive and unique in the plan; dependencies name it.
	Number int
	// Name is one line.
	Name string
	// Description says what to do, and Context what the agent must know to do it.
	Description, Context string
	// Allowed and Forbidden are patterns of the paths the agent may write.
	Allowed, Forbidden []string
	// Type is the kind of work.
	Type TaskType
	// Complexity is Low, Medium or High.
	Complexity string
	// Dependencies are the numbers of the subtasks that must come before, ascending.
	Dependencies []int
	// ExpectedOutputs are paths or patterns of files that exist when the work is done.
	ExpectedOutputs []string
	// Agent names a profile; empty means the default one.
	Agent string
	// Model and Effort are for its program; empty means what the profile says.
	Model, Effort string
	// On is the engine that its turns run on; empty means what the configuration says.
	On string
	// Budget is what it may use up, such as 2.00 US$, 5M tokens; empty means what the configuration says.
	Budget string
	// Task links an objective of the progress file, in one line; empty means none.
	Task string
	// Line is where the subtask's heading stands, from 1; 0 if it comes from no file.
	Line int
}

// ContextMode says whether every subtask must have a context.
type ContextMode int

const (
	// ContextRequired makes a missing context a fault.
	ContextRequired ContextMode = iota
	// ContextOptional accepts subtasks without a context.
	ContextOptional
)

// Options are what the configuration and the command line say about all subtasks.
type Options struct {
	// Context is ContextRequired unless set.
	Context ContextMode
	// Roots are patterns that bound every scope; none means no bound.
	Roots []string
	// Forbidden are patterns added to the forbidden ones of every subtask.
	Forbidden []string
	// Whole accepts subtasks that may write the whole repository. The parts of a plan are told apart by their
	// scopes, so a plan file has none of these.
	Whole bool
	// Agents are the names of the profiles that a subtask may name; none accepts every name.
	Agents []string
	// Engines are the names of the places that a subtask may name with On.
	Engines []string
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
	// List is never empty.
	List []Fault
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
		list = append(list[:maxFaults], Fault{list[maxFaults].Line, fmt.Sprintf("%d more faults from here on", more)})
	}
	return &Faults{List: list}
}
