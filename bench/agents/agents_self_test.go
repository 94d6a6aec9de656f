//go:build bench && linux

package agents_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTheModelServesTheScenarios shows that each one can be read, and asks for one.
func TestTheModelServesTheScenarios(t *testing.T) {
	var log bytes.Buffer
	model, err := serve(&log)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	answer, err := http.Post("http://"+model.Addr+"/v1/messages", "application/json", strings.NewReader(
		`{"tools": [{"name": "Write"}], "messages": [{"role": "user", "content": "[[scenario:nothing]] [[var:agent=AGT-009]]"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || !bytes.Contains(body, []byte("AGENT CHECKPOINT: AGT-009")) {
		t.Errorf("%s %v\n%s", body, err, &log)
	}
}

// standInProgram is a program of a few lines of shell.
func standInProgram(t *testing.T, script string) (recorder, program) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "node_modules", ".bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "standin"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	p := program{
		name: "standin",
		files: func(at place) map[string]string {
			return map[string]string{at.home + "/.standin/config": "configured"}
		},
		env:    func(at place) []string { return []string{"MODEL=" + at.address} },
		start:  func(_ place, prompt string) []string { return []string{"start", prompt} },
		resume: func(_ place, prompt, session string) []string { return []string{"resume", session, prompt} },
	}
	return recorder{folder: t.TempDir(), bin: bin, address: "127.0.0.1:9", stalls: &watch{log: io.Discard}}, p
}

func recording(t *testing.T, r recorder, p program, c recorded) string {
	t.Helper()
	if err := r.one(t.Context(), p, c); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(r.folder, p.name+"-"+c.name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestARecordingNamesNoMachine(t *testing.T) {
	t.Setenv("SECRET_OF_MINE", "leaked")
	r, p := standInProgram(t, `
id=0f8fad5b-d9cd-469f-a165-70867728950e
echo "{\"session_id\":\"$id\",\"cwd\":\"$(pwd)\",\"model\":\"$MODEL\",\"config\":\"$(cat ~/.standin/config)\"}"
echo "again $id, then 7c9e6679-7425-40de-944b-e07fc1f90ae7; $0; $SECRET_OF_MINE; $1" >&2
git branch --show-current`)
	got := recording(t, r, p, recorded{name: "basic", scenario: "basic"})
	want := `{"session_id":"00000000-0000-4000-8000-000000000001","cwd":"/work-tree","model":"127.0.0.1:4000","config":"configured"}
again 00000000-0000-4000-8000-000000000001, then 00000000-0000-4000-8000-000000000002; /programs/node_modules/.bin/standin; ; start
delegate/AGT-001/work
`
	if got != want {
		t.Errorf("recorded\n%swant\n%s", got, want)
	}
}

func TestOnlyTheResumedTurnIsRecorded(t *testing.T) {
	r, p := standInProgram(t, `
case $1 in
start) echo '{"thread_id":"the-one"}' ;;
resume) echo "$2 $3" ;;
esac`)
	got := recording(t, r, p, recorded{name: "resume", scenario: "progress", resume: "resume"})
	if !strings.HasPrefix(got, "the-one Do your part") ||
		!strings.Contains(got, "[[scenario:resume]] [[var:cwd=/work-tree]]") {
		t.Errorf("recorded %q", got)
	}
}

func TestAStalledProgramIsEnded(t *testing.T) {
	for name, c := range map[string]struct {
		end  ending
		want string
	}{
		"killed":      {killed, "working\n"},
		"interrupted": {interrupted, "working\nstopped by hand\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r, p := standInProgram(t, `
trap 'echo "stopped by hand"; exit 130' INT
echo working
while :; do sleep 0.1; done`)
			defer time.AfterFunc(time.Second, func() { _, _ = r.stalls.Write([]byte(`{"answer":"stall"}`)) }).Stop()
			if got := recording(t, r, p, recorded{name: "stall", scenario: "stall", end: c.end}); got != c.want {
				t.Errorf("recorded %q, want %q", got, c.want)
			}
		})
	}
}
