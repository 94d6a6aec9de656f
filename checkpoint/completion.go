package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// CompletionStatus is the outcome in a completion file.
type CompletionStatus string

// The outcomes.
const (
	Completed CompletionStatus = "completed"
	Failed    CompletionStatus = "failed"
)

// Completion is the content of completion.json, the other way for an agent to say that it is done.
// It is a claim like a block; several caveats are joined with "; ".
type Completion struct {
	Status        CompletionStatus
	Summary       string
	FilesModified []string
	TestsRun      []string
	Caveats       string
}

// ParseCompletion reads a completion file.
// Only the status is required, null counts as absent, and unknown fields are ignored;
// a field of the wrong type, an unknown status or anything after the object is an error that names it.
func ParseCompletion(data []byte) (Completion, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var fields map[string]json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&fields); err != nil {
		return Completion{}, fmt.Errorf("completion file: read the object: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Completion{}, errors.New("completion file: text after the object, want one object alone")
	}
	var c Completion
	var word *string
	if err := field(fields, "status", "a string", &word); err != nil {
		return Completion{}, err
	}
	if word == nil {
		return Completion{}, errors.New(`completion file: field "status" is missing, want "completed" or "failed"`)
	}
	switch c.Status = CompletionStatus(strings.ToLower(strings.TrimSpace(*word))); c.Status {
	case Completed, Failed:
	default:
		return Completion{}, fmt.Errorf(`completion file: field "status" is %q, want "completed" or "failed"`, *word)
	}
	err := errors.Join(
		field(fields, "summary", "a string", &c.Summary),
		field(fields, "files_modified", "a list of strings", &c.FilesModified),
		field(fields, "tests_run", "a list of strings", &c.TestsRun),
		caveats(fields, &c.Caveats),
	)
	if err != nil {
		return Completion{}, err
	}
	return c, nil
}

func field(fields map[string]json.RawMessage, name, want string, into any) error {
	raw, ok := fields[name]
	if !ok || json.Unmarshal(raw, into) == nil {
		return nil
	}
	return fmt.Errorf("completion file: field %q is %s, want %s", name, excerpt(raw), want)
}

func caveats(fields map[string]json.RawMessage, into *string) error {
	var list []string
	if raw, ok := fields["caveats"]; ok && json.Unmarshal(raw, &list) == nil {
		*into = strings.Join(list, "; ")
		return nil
	}
	return field(fields, "caveats", "a string or a list of strings", into)
}

func excerpt(raw []byte) string {
	const most = 60
	s := []rune(string(raw))
	if len(s) > most {
		return string(s[:most]) + "…"
	}
	return string(s)
}
