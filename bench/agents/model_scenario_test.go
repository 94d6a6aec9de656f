//go:build bench && !windows

package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// step is one answer of the model; the package comment says what its fields mean.
type step struct {
	Say      string `json:"say"`
	Write    string `json:"write"`
	Content  string `json:"content"`
	Shell    string `json:"shell"`
	Delegate string `json:"delegate"`
	Use      string `json:"use"`
	With     object `json:"with"`
	Limit    *limit `json:"limit"`
	Fault    *fault `json:"fault"`
	Stall    bool   `json:"stall"`
}

// limit is what an overloaded model says: a status, how many times, and after how many seconds to ask again.
type limit struct {
	Status int `json:"status"`
	Times  int `json:"times"`
	After  int `json:"after"`
}

func load(folder fs.FS) (map[string][]step, error) {
	names, err := fs.Glob(folder, "*.json")
	if err != nil {
		return nil, fmt.Errorf("list scenarios: %w", err)
	}
	all := map[string][]step{}
	for _, name := range names {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, fmt.Errorf("read scenario %q: %w", name, err)
		}
		steps, err := parse(data)
		if err != nil {
			return nil, fmt.Errorf("scenario %q: %w", name, err)
		}
		all[strings.TrimSuffix(name, ".json")] = steps
	}
	return all, nil
}

func parse(data []byte) ([]step, error) {
	var steps []step
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&steps); err != nil {
		return nil, err
	}
	for i, s := range steps {
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return steps, nil
}

func (s step) check() error {
	acts := 0
	for _, set := range []bool{s.Write != "", s.Shell != "", s.Delegate != "", s.Use != "", s.Stall} {
		if set {
			acts++
		}
	}
	switch {
	case acts > 1:
		return errors.New("more than one of write, shell, delegate, use and stall")
	case s.Content != "" && s.Write == "":
		return errors.New("content without write")
	case s.With != nil && s.Use == "":
		return errors.New("with without use")
	case s.Limit != nil && (s.Limit.Status < 400 || s.Limit.Times < 1 || s.Limit.After < 0):
		return errors.New("limit needs a status of 400 or more, and times")
	case s.Fault != nil && (!s.Fault.known() || s.Limit != nil):
		return errors.New("fault needs a kind that is known, and times, and no limit beside it")
	}
	return nil
}

// filled is the step with {{KEY}} replaced.
func (s step) filled(vars map[string]string) step {
	var pairs []string
	for key, value := range vars {
		pairs = append(pairs, "{{"+key+"}}", value)
	}
	r := strings.NewReplacer(pairs...)
	for _, field := range []*string{&s.Say, &s.Write, &s.Content, &s.Shell, &s.Delegate} {
		*field = r.Replace(*field)
	}
	with := object{}
	for name, value := range s.With {
		if text, ok := value.(string); ok {
			value = r.Replace(text)
		}
		with[name] = value
	}
	s.With = with
	return s
}
