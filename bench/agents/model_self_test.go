//go:build bench && !windows

package agents_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	scripted "delegate/bench/agents"
)

const script = `[
	{"say": "First a file.", "write": "{{cwd}}/a/b.txt", "content": "it's\nhere\n"},
	{"limit": {"status": 429, "times": 2, "after": 7}, "shell": "git status"},
	{"delegate": "[[scenario:part]] go"},
	{"say": "I am {{agent}}."},
	{"say": ""},
	{"stall": true},
	{"use": "house/list_things", "with": {"name": "{{agent}}", "limit": 2}}
]`

const marker = "Work.\n[[scenario:script]] [[var:cwd=/w]] [[var:agent=AGT-007]]"

// endpoint serves the script and part.json, and returns the log of requests.
func endpoint(t *testing.T) (*httptest.Server, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	handler, err := scripted.New(scripted.Options{Log: &log, Scenarios: fstest.MapFS{
		"script.json": {Data: []byte(script)},
		"part.json":   {Data: []byte(`[{"say": "a part"}]`)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s, &log
}

// format builds requests of one wire format and reads its answers back as what a program would see.
type format struct {
	path string
	// request is a conversation of the prompt and so many results, in which the tools are offered.
	request func(prompt string, results int, tools ...string) object
	// read returns the words, the tool that is called, and its input as one string.
	read func(t *testing.T, body []byte) (text, tool, input string)
}

func formats() map[string]format {
	return map[string]format{
		"messages":  {"/v1/messages", askAnthropic, readAnthropic},
		"responses": {"/v1/responses", askResponses, readResponses},
		"chat":      {"/v1/chat/completions", askChat, readChat},
		"gemini":    {"/v1beta/models/m:streamGenerateContent", askGemini, readGemini},
	}
}

func post(t *testing.T, url string, body object) *http.Response {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Post(url, "application/json", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

func body(t *testing.T, answer *http.Response) []byte {
	t.Helper()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", answer.StatusCode, data)
	}
	return data
}

func TestStepsInEveryFormat(t *testing.T) {
	steps := []struct {
		results           int
		text, tool, input string
	}{
		{0, "First a file.", "write_file", `{"content":"it's\nhere\n","file_path":"/w/a/b.txt"}`},
		{2, "", "task", `{"description":"a part of the work","prompt":"[[scenario:part]] go","subagent_type":"general"}`},
		{3, "I am AGT-007.", "", ""},
		{4, "", "", ""},
		{6, "", "mcp__house__list_things", `{"limit":2,"name":"AGT-007"}`},
		{9, "The script is over.", "", ""},
	}
	for name, f := range formats() {
		t.Run(name, func(t *testing.T) {
			s, _ := endpoint(t)
			for _, step := range steps {
				text, tool, input := f.read(t,
					body(t, post(t, s.URL+f.path,
						f.request(marker, step.results, "write_file", "task", "bash", "mcp__house__list_things",
							"list_things_more"))))
				if text != step.text || tool != step.tool || input != step.input {
					t.Errorf("after %d results: says %q, calls %q with %s", step.results, text, tool, input)
				}
			}
		})
	}
}

// TestAServersToolNeedsNoOffer shows a call of one that has to be searched for: its name is in two
// parts where the format has them.
func TestAServersToolNeedsNoOffer(t *testing.T) {
	for name, f := range formats() {
		s, _ := endpoint(t)
		data := body(t, post(t, s.URL+f.path, f.request(marker, 6, "bash")))
		_, tool, _ := f.read(t, data)
		want := "mcp__house__list_things"
		if name == "responses" {
			want = "list_things"
		}
		if apart := bytes.Contains(data, []byte(`"namespace":"mcp__house"`)); tool != want ||
			apart != (name == "responses") {
			t.Errorf("%s: calls %q: %s", name, tool, data)
		}
	}
}

func TestToolsAreTakenFromTheOffer(t *testing.T) {
	cases := map[string]struct {
		results     int
		offer       []string
		tool, input string
	}{
		"write of claude": {0, []string{"Bash", "Write"}, "Write",
			`{"content":"it's\nhere\n","file_path":"/w/a/b.txt"}`},
		"write of opencode": {0, []string{"bash", "write"}, "write",
			`{"content":"it's\nhere\n","filePath":"/w/a/b.txt"}`},
		"write by shell": {0, []string{"exec_command"}, "exec_command",
			`{"cmd":"mkdir -p '/w/a' && printf %s 'it'\\''s\nhere\n' > '/w/a/b.txt'"}`},
		"sub-agent of qwen": {2, []string{"agent"}, "agent",
			`{"description":"a part of the work","prompt":"[[scenario:part]] go","subagent_type":"general-purpose"}`},
		"sub-agent unheld": {2, []string{"Bash"}, "Agent",
			`{"description":"a part of the work","prompt":"[[scenario:part]] go","subagent_type":"general-purpose"}`},
		"sub-agent, gemini": {2, []string{"invoke_agent"}, "invoke_agent",
			`{"agent_name":"generalist","prompt":"[[scenario:part]] go"}`},
		"write by patch": {0, []string{"apply_patch"}, "apply_patch",
			"*** Begin Patch\n*** Add File: /w/a/b.txt\n+it's\n+here\n*** End Patch\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s, _ := endpoint(t)
			_, tool, input := readResponses(t,
				body(t, post(t, s.URL+"/v1/responses", askResponses(marker, c.results, c.offer...))))
			if strings.ReplaceAll(strings.ReplaceAll(input, `\u0026`, "&"), `\u003e`, ">") != c.input ||
				tool != c.tool {
				t.Errorf("calls %q with %s, want %q with %s", tool, input, c.tool, c.input)
			}
		})
	}
}

func TestANewMarkerBeginsAnew(t *testing.T) {
	for name, f := range formats() {
		t.Run(name, func(t *testing.T) {
			s, log := endpoint(t)
			first := f.request(marker, 3, "bash")
			next := f.request("[[scenario:part]]", 0, "bash")
			for _, key := range []string{"messages", "input", "contents"} {
				if turns, found := first[key].([]object); found {
					first[key] = append(turns, next[key].([]object)...)
				}
			}
			text, _, _ := f.read(t, body(t, post(t, s.URL+f.path, first)))
			if text != "a part" {
				t.Errorf("says %q after\n%s", text, log)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for name, f := range formats() {
		t.Run(name, func(t *testing.T) {
			s, log := endpoint(t)
			for range 2 {
				answer := post(t, s.URL+f.path, f.request(marker, 1, "Bash"))
				var fault struct{ Error struct{ Message string } }
				err := json.NewDecoder(answer.Body).Decode(&fault)
				if answer.StatusCode != 429 || answer.Header.Get("Retry-After") != "7" || err != nil ||
					fault.Error.Message == "" {
					t.Errorf("status %d, retry after %q, %v %+v", answer.StatusCode, answer.Header.Get("Retry-After"),
						err, fault)
				}
			}
			if _, tool, _ := f.read(t, body(t, post(t, s.URL+f.path, f.request(marker, 1, "Bash")))); tool != "Bash" {
				t.Errorf("the third time it calls %q", tool)
			}
			if n := strings.Count(log.String(), `"answer":"limit 429"`); n != 2 {
				t.Errorf("%d refusals in the log:\n%s", n, log)
			}
		})
	}
}

func TestASideQuestionIsNoTurn(t *testing.T) {
	for name, f := range formats() {
		t.Run(name, func(t *testing.T) {
			s, _ := endpoint(t)
			if text, tool, _ := f.read(t, body(t, post(t, s.URL+f.path, f.request(marker, 1)))); text != "ok" ||
				tool != "" {
				t.Errorf("says %q and calls %q", text, tool)
			}
		})
	}
}

func TestAStallEndsWithItsCaller(t *testing.T) {
	s, _ := endpoint(t)
	data, err := json.Marshal(askChat(marker, 5, "bash"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/chat/completions",
		bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := http.DefaultClient.Do(request); err == nil {
		answer.Body.Close()
		t.Errorf("answered with status %d", answer.StatusCode)
	}
}

func TestSideEndpoints(t *testing.T) {
	s, _ := endpoint(t)
	for path, key := range map[string]string{"/v1/messages/count_tokens": "input_tokens",
		"/v1beta/models/m:countTokens": "totalTokens"} {
		var counted map[string]int
		if err := json.Unmarshal(body(t, post(t, s.URL+path, object{})), &counted); err != nil || counted[key] == 0 {
			t.Errorf("%s: %v %v", path, counted, err)
		}
	}
	if answer := post(t, s.URL+"/v1/unheard", object{}); answer.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown path gives %d", answer.StatusCode)
	}
	answer, err := http.Post(s.URL+"/v1/messages", "application/json", strings.NewReader("{"))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusBadRequest {
		t.Errorf("half a request gives %d", answer.StatusCode)
	}
}

// TestPlainAnswers asks for answers in one piece; the streams are what the other tests read.
func TestPlainAnswers(t *testing.T) {
	s, _ := endpoint(t)
	for path, request := range map[string]object{
		"/v1/messages":                     askAnthropic(marker, 3, "Bash"),
		"/v1beta/models/m:generateContent": askGemini(marker, 3, "run_shell_command"),
	} {
		request["stream"] = false
		data := body(t, post(t, s.URL+path, request))
		if !json.Valid(data) || !bytes.Contains(data, []byte(`"I am AGT-007."`)) {
			t.Errorf("%s: %s", path, data)
		}
	}
}

func TestBadScenarios(t *testing.T) {
	for name, text := range map[string]string{
		"no list":         `{"say": "x"}`,
		"unknown field":   `[{"speak": "x"}]`,
		"two acts":        `[{"shell": "x", "stall": true}]`,
		"content alone":   `[{"content": "x"}]`,
		"with alone":      `[{"with": {"a": 1}}]`,
		"limit of no use": `[{"limit": {"status": 200, "times": 1}}]`,
		"unheard fault":   `[{"fault": {"kind": "fire", "times": 1}}]`,
		"fault and limit": `[{"fault": {"kind": "cut", "times": 1}, "limit": {"status": 429, "times": 1}}]`,
	} {
		_, err := scripted.New(scripted.Options{Scenarios: fstest.MapFS{"wrong.json": {Data: []byte(text)}}})
		if err == nil || !strings.Contains(err.Error(), `"wrong.json"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// events are the data lines of a stream.
func events(t *testing.T, stream []byte) (all []object) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(stream))
	for lines.Scan() {
		data, found := strings.CutPrefix(lines.Text(), "data: ")
		if !found || data == "[DONE]" {
			continue
		}
		var v object
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			t.Fatalf("event %s: %v", data, err)
		}
		all = append(all, v)
	}
	return all
}

// FuzzRequests shows that no body brings the endpoint down: it is answered, or refused as no request.
func FuzzRequests(f *testing.F) {
	handler, err := scripted.New(scripted.Options{Scenarios: fstest.MapFS{"part.json": {Data: []byte(
		`[{"write": "a", "content": "b"}, {"say": ""}]`)}}})
	if err != nil {
		f.Fatal(err)
	}
	for _, format := range formats() {
		data, err := json.Marshal(format.request("[[scenario:part]]", 1, "bash"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"messages": [{"role": "user", "content": null}], "input": "words", "contents": [{}], "tools": [{}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for name, format := range formats() {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, format.path, bytes.NewReader(body)))
			if w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
				t.Errorf("%s: status %d for %q", name, w.Code, body)
			}
			if w.Body.Len() == 0 {
				t.Errorf("%s: nothing for %q", name, body)
			}
		}
	})
}
