//go:build bench && !windows

package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Options say what a model follows. Scenarios has NAME.json at its root; Log takes one line of JSON
// for each request and may be nil.
type Options struct {
	Scenarios fs.FS
	Log       io.Writer
}

// New is the endpoint of a language model that follows a script, for a server on the loopback device: it answers real
// agent programs without a key and without a network.
//
// It speaks Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini, each as far
// as agent programs go. A line [[scenario:NAME]] in the prompt names the script, NAME.json;
// [[var:KEY=VALUE]] beside it fills {{KEY}} in its steps. The conversation that every request
// carries says how far the script is: its step is the number of tool results since that line, so
// that nothing is remembered here and a resumed session goes on, with the same script or with the
// next.
//
// A scenario is a JSON list of steps. A step may have
//
//	say       the model's own words, beside a tool call or alone; alone they end the turn, and may be empty
//	write     path of a file to write, with its text in content
//	shell     a command line to run
//	delegate  the prompt of a sub-agent to start
//	use       a tool of a server that the program was given, SERVER/TOOL, with its arguments in with
//	limit     {status, times, after}: so many requests are refused with that status first, each to be
//	          tried again after seconds
//	fault     {kind, times}: so many requests go wrong first: key, model and account are refused in
//	          the provider's words, the stream of an answer is cut, or the connection reset
//	stall     true: the request is never answered
//
// It returns an error that names the first scenario that cannot be read.
func New(o Options) (http.Handler, error) {
	scenarios, err := load(o.Scenarios)
	if err != nil {
		return nil, err
	}
	m := &model{scenarios: scenarios, log: o.Log, refused: map[turn]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.serve(anthropic()))
	mux.HandleFunc("POST /v1/responses", m.serve(responses()))
	mux.HandleFunc("POST /v1/chat/completions", m.serve(chat()))
	mux.HandleFunc("POST /v1beta/models/{call}", m.gemini)
	mux.HandleFunc("POST /v1/messages/count_tokens", m.fixed(object{"input_tokens": promptTokens}))
	mux.HandleFunc("GET /v1/models", m.fixed(object{"object": "list",
		"data": list{object{"id": "scripted", "object": "model"}}, "models": list{}}))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		m.note(entry{Path: r.Method + " " + r.URL.Path, Answer: "not found"})
		http.NotFound(w, r)
	})
	return mux, nil
}

// What every answer is said to have cost, in tokens: some of the prompt's came from a cache.
const (
	promptTokens = 100
	cachedTokens = 40
	answerTokens = 20
)

type (
	object = map[string]any
	list   = []any
)

// wire is one format of requests and answers.
type wire struct {
	read   func(body []byte) (talk, error)
	refuse func(l limit) object
	fail   func(kind string) (status int, body object)
	answer func(w http.ResponseWriter, a answer)
}

// turn is a point in a script at which a model can be asked again and again.
type turn struct {
	prompt string
	step   int
}

type model struct {
	scenarios map[string][]step

	mu      sync.Mutex // guards the rest
	log     io.Writer
	refused map[turn]int
}

// entry is a line of the log.
type entry struct {
	Path     string   `json:"path"`
	Scenario string   `json:"scenario,omitempty"`
	Step     int      `json:"step"`
	Tools    []string `json:"tools,omitempty"`
	Answer   string   `json:"answer"`
	Prompt   string   `json:"told,omitempty"`  // the prompt, in the first request of a script
	Marks    []string `json:"marks,omitempty"` // words of the whole request that begin with MARK-
}

func (m *model) note(e entry) {
	if m.log == nil {
		return
	}
	line, err := json.Marshal(e)
	if err != nil {
		return // strings and numbers only: it cannot happen
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	fmt.Fprintf(m.log, "%s\n", line)
}

func (m *model) fixed(v object) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		m.note(entry{Path: r.URL.Path, Answer: "fixed"})
		send(w, http.StatusOK, v)
	}
}

func send(w http.ResponseWriter, status int, v object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // who asked may be gone
}

func (m *model) serve(f wire) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // who asked is gone
		}
		t, err := f.read(body)
		if err != nil {
			m.note(entry{Path: r.URL.Path, Answer: err.Error()})
			send(w, http.StatusBadRequest,
				object{"error": object{"type": "invalid_request_error", "message": err.Error()}})
			return
		}
		e := entry{Path: r.URL.Path, Scenario: t.scenario, Step: t.results, Tools: t.names()}
		if t.results == 0 {
			e.Prompt = t.prompt
		}
		e.Marks = marks(body)
		s := m.next(t)
		switch {
		case s.Limit != nil && m.refuses(t, s.Limit.Times):
			e.Answer = "limit " + strconv.Itoa(s.Limit.Status)
			m.note(e)
			w.Header().Set("Retry-After", strconv.Itoa(s.Limit.After))
			send(w, s.Limit.Status, f.refuse(*s.Limit))
		case s.Fault != nil && m.refuses(t, s.Fault.Times):
			e.Answer = "fault " + s.Fault.Kind
			m.note(e)
			s.Fault.fail(w, f, answer{talk: t, text: s.Say, call: t.call(s)})
		case s.Stall:
			e.Answer = "stall"
			m.note(e)
			<-r.Context().Done()
		default:
			a := answer{talk: t, text: s.Say, call: t.call(s)}
			e.Answer = a.String()
			m.note(e)
			f.answer(w, a)
		}
	}
}

// marks are the marks in a request, each once.
func marks(body []byte) []string {
	found := strings.Fields(string(bytes.Join(markWord.FindAll(body, -1), []byte(" "))))
	slices.Sort(found)
	return slices.Compact(found)
}

// markWord is a mark, which ends with a full stop.
var markWord = regexp.MustCompile(`MARK-[A-Za-z0-9_.-]*\.`)

// refuses counts the requests at one point of a script.
func (m *model) refuses(t talk, times int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := turn{prompt: t.prompt, step: t.results}
	m.refused[at]++
	return m.refused[at] <= times
}

// next is what the script says now. A request without tools is no turn of an agent but a side
// question, such as for a title.
func (m *model) next(t talk) step {
	steps, found := m.scenarios[t.scenario]
	switch {
	case t.scenario == "" || len(t.tools) == 0:
		return step{Say: "ok"}
	case !found:
		return step{Say: fmt.Sprintf("There is no scenario %q.", t.scenario)}
	case t.results >= len(steps):
		return step{Say: "The script is over."}
	}
	return steps[t.results].filled(t.vars)
}

// answer is what a model says, to be put into a format.
type answer struct {
	talk talk
	text string
	call *call
}

// id names a part of an answer, the same in every run and unlike the others of its conversation.
func (a answer) id(prefix string) string {
	return fmt.Sprintf("%s_%s%d", prefix, strings.ReplaceAll(a.talk.scenario, "-", ""), a.talk.total)
}

func (a answer) String() string {
	if a.call != nil {
		return "call " + a.call.name
	}
	return "say " + strconv.Quote(a.text)
}
