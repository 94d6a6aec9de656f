package agentdir

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// Question is what an agent's program asks a person in the middle of a turn. It stands in the agent's own folder, as
// does its answer, so the agent can write both: an answer opens nothing that the sandbox does not.
type Question struct {
	ID    string    `json:"-"`
	Asked time.Time `json:"asked"`
	Until time.Time `json:"until"` // when it is refused
	Tool  string    `json:"tool"`
	Line  string    `json:"line"` // the tool and what it is to do
	// Outside is why the scope does not allow it, "" where it does.
	Outside string `json:"outside,omitempty"`
	// Text and Choices are what the program's own tool for asking asks; "" and none of a permission.
	Text    string   `json:"text,omitempty"`
	Choices []string `json:"choices,omitempty"`
}

// Verdict is what the scope says of a permission.
func (q Question) Verdict() string {
	if q.Outside == "" {
		return "inside the scope"
	}
	return "outside: " + q.Outside
}

// Word is how a question for a permission is answered.
type Word string

// The words. AllowTurn also allows what the same tool does inside the scope until the turn ends; Said is the answer to
// a Text.
const (
	Allow     Word = "allow"
	AllowTurn Word = "turn"
	Deny      Word = "deny"
	Said      Word = "said"
)

// Answer is what a person answered.
type Answer struct {
	Word Word   `json:"word"`
	Text string `json:"text,omitempty"`
}

// Bounds on what is read of questions.
const (
	questionFolder  = "questions"
	questionSuffix  = ".json"
	answerSuffix    = ".answer"
	allowedFile     = questionFolder + "/allowed"
	mostQuestions   = 200
	largestQuestion = 64 << 10
)

// ClearQuestions takes all questions and answers of earlier turns away.
func (d Dir) ClearQuestions() error {
	if err := d.Remove(questionFolder); err != nil {
		return err
	}
	return d.Folder(questionFolder)
}

// Ask puts a question up and answers with its id.
func (d Dir) Ask(q Question) (string, error) {
	if err := d.Folder(questionFolder); err != nil {
		return "", err
	}
	data, err := json.Marshal(q)
	if err != nil {
		return "", fmt.Errorf("write question: %w", err)
	}
	id := fmt.Sprintf("%d-%d", q.Asked.UnixNano(), os.Getpid())
	return id, d.write(questionFolder+"/"+id+questionSuffix, data)
}

// OpenQuestions are those that nobody has answered and whose time is not over, the oldest first.
func (d Dir) OpenQuestions(now time.Time) []Question {
	entries, err := d.List(questionFolder, mostQuestions)
	if err != nil {
		return nil // an agent's folder: what cannot be read asks nothing
	}
	answered := func(id string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == id+answerSuffix })
	}
	var open []Question
	for _, e := range entries {
		id, is := strings.CutSuffix(e.Name(), questionSuffix)
		if !is || answered(id) {
			continue
		}
		data, err := d.Read(questionFolder+"/"+e.Name(), largestQuestion)
		q := Question{ID: id}
		if err != nil || json.Unmarshal(data, &q) != nil || !now.Before(q.Until) {
			continue
		}
		open = append(open, q)
	}
	slices.SortFunc(open, func(x, y Question) int { return cmp.Or(x.Asked.Compare(y.Asked), cmp.Compare(x.ID, y.ID)) })
	return open
}

// Answer puts the answer beside a question.
func (d Dir) Answer(id string, a Answer) error {
	data, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return d.write(questionFolder+"/"+id+answerSuffix, data)
}

// Answered is the answer to a question; false as long as there is none.
func (d Dir) Answered(id string) (a Answer, found bool) {
	data, err := d.Read(questionFolder+"/"+id+answerSuffix, largestQuestion)
	return a, err == nil && json.Unmarshal(data, &a) == nil
}

// Withdraw takes a question and its answer away.
func (d Dir) Withdraw(id string) {
	_ = d.Remove(questionFolder + "/" + id + questionSuffix) // a question that stays ends with its time
	_ = d.Remove(questionFolder + "/" + id + answerSuffix)
}

// AllowInTurn notes that a person allowed a tool until the turn ends.
func (d Dir) AllowInTurn(tool string) error { return d.Append(allowedFile, tool+"\n") }

// AllowedInTurn reports whether a person did.
func (d Dir) AllowedInTurn(tool string) bool {
	data, err := d.Read(allowedFile, largestQuestion)
	return err == nil && slices.Contains(strings.Split(string(data), "\n"), tool)
}
