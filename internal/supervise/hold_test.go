//go:build linux

package supervise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"delegate/registry"
)

// TestWaitingIsNoStall holds that a program which waits for its provider and prints nothing meanwhile is waiting, that
// this is told while it lasts, and that it is not worked time.
func TestWaitingIsNoStall(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, eventful+`
echo '{"type":"error","message":"Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)"}'
until [ -f "$ROOT/on" ]; do sleep 0.1; done
echo w > w.txt; told COMPLETE MERGE
until [ -f "$ROOT/end" ]; do sleep 0.1; done
`, "")
	d.configure("agent: scripted\nstop_grace: 500ms\nstall: {QUICK: 1s}\nnudge_grace: 100ms\nprofiles:\n" +
		"  scripted: {command: [sh, agent.sh], output: stream-json, pass_env: [GORACE]}\n")
	d.begin(1)
	a := d.agent("AGT-001")
	d.until("the flag", func() bool { a = d.agent("AGT-001"); return a.Flags.Has(registry.FlagWaits) })
	time.Sleep(3 * time.Second) // more than the window and the grace
	d.touch("on")
	d.until("the end of the flag", func() bool { return !d.agent("AGT-001").Flags.Waits() })
	d.touch("end")
	a = d.reaches("AGT-001", registry.Complete)
	if rows := d.events("AGT-001", registry.EventFailed, registry.EventNudged,
		registry.EventRespawned); len(rows) > 0 || a.Attempt != 1 || a.RunTime > 3*time.Second {
		t.Errorf("attempt %d, %s worked, rows %q", a.Attempt, a.RunTime, rows)
	}
}

// TestHopeless holds that an account without money and a model that is not there are told at once, also where the
// program would try again, and no turn follows.
func TestHopeless(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, want string }{
		"account": {script: `echo '{"type":"turn.failed","error":{"message":"Quota exceeded. Check your plan and billing details."}}'
exit 1`,
			want: "its provider says that the account has nothing left; everything it did is kept: " +
				"Quota exceeded. Check your plan and billing details."},
		"account, again": {script: `echo '{"type":"error","message":"Reconnecting... 1/5 (insufficient_quota)"}'
sleep 300`,
			want: "its provider says that the account has nothing left; everything it did is kept: insufficient_quota"},
		"model": {script: `echo '{"type":"turn.failed","error":{"message":"The model x does not exist"}}'
exit 1`,
			want: "its provider has no such model, or not for this account: The model x does not exist " +
				"(model in profiles.amp of .delegate.yaml names another)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDelegation(t, eventful+c.script+"\n", "")
			d.configure("agent: amp\nstop_grace: 500ms\nprofiles:\n" +
				"  amp: {command: [sh, agent.sh, '{model}'], output: stream-json, pass_env: [GORACE]}\n")
			d.begin(1)
			if a := d.reaches("AGT-001", registry.Failed); a.Turns != 1 || a.LastError != c.want {
				t.Errorf("%d turns, %q", a.Turns, a.LastError)
			}
		})
	}
}

// TestNetworkFaults holds that a turn that ended by a passing fault goes on in the same conversation, before anyone is
// called: three times while it comes to nothing, and anew once it came to something. A conversation in which the model
// has said nothing yet is begun anew.
func TestNetworkFaults(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, eventful+`
if [ "$1" = resume ]; then echo "resume $2"; else echo first; fi >>"$DELEGATE_AGENT_DIR/calls"
n=$(($(wc -l <"$DELEGATE_AGENT_DIR/calls")-1))
echo '{"type":"thread.started","thread_id":"s"}'
works() { echo '{"type":"item.completed","item":{"type":"agent_message","text":"I write a file."}}'; echo $n >w.txt; }
case $n in
0) echo '{"type":"turn.failed","error":{"message":"stream disconnected before completion: error sending request for url (https://example.org/v1/responses)"}}'; exit 1 ;;
1) echo '{"type":"result","subtype":"success","is_error":true,"session_id":"s","result":"API Error: Connection to the API was lost (ECONNRESET). This is usually temporary — try again."}'; exit 1 ;;
2) works; echo '{"type":"error","sessionID":"s","error":{"name":"APIError","data":{"message":"Cannot connect to API: The socket connection was closed unexpectedly."}}}'; exit 0 ;;
3) echo '{"type":"result","timestamp":"x","status":"error","error":{"type":"unknown","message":"[API Error: exception TypeError: fetch failed sending request]"},"stats":{}}'; exit 1 ;;
4) echo 'Error: Unable to connect. Is the computer able to access the url?' >&2; exit 1 ;;
esac
if [ $DELEGATE_AGENT = AGT-002 ]; then
	echo '{"type":"turn.failed","error":{"message":"unexpected status 503 Service Unavailable"}}'; exit 1
fi
works; told COMPLETE MERGE
`, "")
	d.configure("agent: scripted\nstop_grace: 500ms\nprofiles:\n" +
		"  scripted: {command: [sh, agent.sh], resume: [sh, agent.sh, resume, '{session_id}'], output: stream-json, " +
		"pass_env: [GORACE]}\n")
	d.begin(2)
	a := d.reaches("AGT-001", registry.Complete)
	said, err := os.ReadFile(filepath.Join(d.AgentDir(d.state().Session.ID, "AGT-001"), "calls"))
	if words := string(said); err != nil || a.Turns != 6 || a.Attempt != 1 || a.Errors != 0 || a.Flags.Waits() ||
		words != strings.Repeat("first\n", 3)+strings.Repeat("resume s\n", 3) {
		t.Errorf("turn %d, attempt %d, %d errors, flags %q, calls:\n%s", a.Turns, a.Attempt, a.Errors, a.Flags, words)
	}
	rows := ""
	for _, e := range d.state().Events {
		rows += e.Details + "\n"
	}
	for _, part := range []string{"(1 of 3): stream disconnected", "(2 of 3): API Error: Connection",
		"(1 of 3): Cannot connect",
		"(2 of 3): [API Error: exception", "(3 of 3): Error: Unable to connect."} {
		if !strings.Contains(rows, part) {
			t.Errorf("no row has %q:\n%s", part, rows)
		}
	}
	b := d.reaches("AGT-002", registry.Failed)
	if b.Turns != 6 || b.Errors != 1 || !strings.HasPrefix(b.LastError,
		"network fault, tried again 3 times in vain; everything it did is kept: unexpected status 503") {
		t.Errorf("turn %d, %d errors: %q", b.Turns, b.Errors, b.LastError)
	}
}

// TestRefusedLogin holds that a program whose login is refused is ended at once, with what to type, though it tries
// again by itself, and that no turn follows.
func TestRefusedLogin(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, eventful+`
retry() { echo '{"type":"system","subtype":"api_retry","attempt":'$1',"max_retries":10,"retry_delay_ms":600,"error_status":401,"error":"authentication_failed","session_id":"s"}'; }
retry 1; retry 2; sleep 300
`, "")
	d.configure("agent: amp\nstop_grace: 500ms\nprofiles:\n" +
		"  amp: {command: [sh, agent.sh], output: stream-json, pass_env: [GORACE]}\n")
	d.begin(1)
	const want = "its login is missing, or its provider refuses it: authentication_failed (amp login, or " +
		"set AMP_API_KEY)"
	if a := d.reaches("AGT-001", registry.Failed); a.LastError != want || a.Turns != 1 || a.RunTime > 20*time.Second {
		t.Errorf("turn %d, after %s: %q", a.Turns, a.RunTime, a.LastError)
	}
}
