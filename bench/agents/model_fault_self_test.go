//go:build bench && !windows

package agents_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	scripted "delegate/bench/agents"
)

// TestFaults holds what each fault is for who asks, in every format, and that the step is answered after so many.
func TestFaults(t *testing.T) {
	for kind, status := range map[string][]int{"key": {400, 401}, "model": {404}, "account": {400, 429},
		"cut": nil, "reset": nil} {
		for name, f := range formats() {
			t.Run(kind+" "+name, func(t *testing.T) {
				handler, err := scripted.New(scripted.Options{Scenarios: fstest.MapFS{"script.json": {
					Data: fmt.Appendf(nil, `[{"fault": {"kind": %q, "times": 2}, "say": "It is said in the end."}]`, kind)}}})
				if err != nil {
					t.Fatal(err)
				}
				s := httptest.NewServer(handler)
				defer s.Close()
				for range 2 {
					said, code, err := ask(t, s.URL+f.path, f.request(marker, 0, "Bash"))
					if len(status) == 0 && err == nil {
						t.Errorf("nothing went wrong: %d %s", code, said)
					}
					var refused struct{ Error struct{ Message string } }
					if len(status) > 0 && (err != nil || code != status[0] && code != status[len(status)-1] ||
						json.Unmarshal(said, &refused) != nil || refused.Error.Message == "") {
						t.Errorf("status %d, %v: %s", code, err, said)
					}
				}
				answer := post(t, s.URL+f.path, f.request(marker, 0, "Bash"))
				if text, _, _ := f.read(t, body(t, answer)); text != "It is said in the end." {
					t.Errorf("the third time it says %q", text)
				}
			})
		}
	}
}

// ask posts a request; the error is also that of an answer that is cut off.
func ask(t *testing.T, url string, request object) (said []byte, status int, err error) {
	t.Helper()
	data, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	// Else the client itself may ask once more.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Post(url, "application/json", bytes.NewReader(data))
	if err != nil {
		return nil, 0, err
	}
	defer answer.Body.Close()
	said, err = io.ReadAll(answer.Body)
	return said, answer.StatusCode, err
}
