package dialect

import (
	"slices"
	"testing"
)

// TestFaults holds what each program's own words about a failure are about.
func TestFaults(t *testing.T) {
	for want, all := range map[Fault][]string{
		Passing: {
			"API Error: Connection to the API was lost (ECONNRESET). This is usually temporary — try again.", // claude
			"API Error: Unable to connect to API (ECONNREFUSED)", "API Error (Connection error.)",
			"API Error: Repeated 529 Overloaded errors",
			`API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}`,
			"stream disconnected before completion: stream closed before response.completed", // codex
			"Reconnecting... 3/5 (stream disconnected before completion: error sending request for url (https://x/v1))",
			"unexpected status 503 Service Unavailable: upstream connect error",
			"Unable to connect. Is the computer able to access the url?", // opencode
			"Cannot connect to API: The socket connection was closed unexpectedly.",
			"[API Error: exception TypeError: fetch failed sending request]", // gemini and qwen
			"[API Error: request to https://example.org/v1 failed, reason: getaddrinfo ENOTFOUND example.org]",
			"[API Error: Connection error. (cause: fetch failed)]", "[API Error: terminated]", "terminated",
			"[API Error: terminated (cause: other side closed)]",
			"Attempt 1 failed with status 503. Retrying with backoff... _ApiError: UNAVAILABLE",
		},
		NoLogin: {
			"Invalid API key · Please run /login", "invalid x-api-key", "unexpected status 401 Unauthorized: no key",
			"API Error: 401 OAuth token has expired", "Incorrect API key provided: sk-1***",
			`{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`,
			"status 403 Forbidden",
		},
		ProviderLimit: {"exceeded retry limit, last status: 429 Too Many Requests", "Usage limit reached|1234567890"},
		EmptyAccount: {"Credit balance is too low",
			"[API Error: Your prepayment credits are depleted. Please go to AI Studio]"},
		NoModel: {"There's an issue with the selected model (x). It may not exist or you may not have access to it.",
			"The model `x` does not exist or you do not have access to it.", "model_not_found",
			"[API Error: models/x is not found for API version v1beta]", "Model 'x' not found on provider (HTTP 404).",
			"not_found_error: model: x"},
		OtherFault: {"the model is not there", "status 404 Not Found", "it was terminated by a rule",
			"prompt is too long: 250001 tokens",
			"Model stream ended with empty response text."},
	} {
		for _, words := range all {
			if got := FaultOf(words); got != want {
				t.Errorf("%q is %d, want %d", words, got, want)
			}
		}
	}
}

// opencodeLog is a line of its log.
func opencodeLog(small, words string) string {
	return `timestamp=2026-11-23T15:32:51.067Z level=ERROR run=29d2baf0 message="stream error" providerID=p session.id=s small=` +
		small + ` agent=build mode=primary error.error="AI_APICallError: ` + words + `"`
}

// TestTriesAgain holds what programs that try again by themselves are told to wait for, and that a provider's answer
// is told by its words.
func TestTriesAgain(t *testing.T) {
	claude := func(attempt, status string) string {
		return `{"type":"system","subtype":"api_retry","attempt":` + attempt + `,"retry_delay_ms":600,"error_status":` + status +
			`,"error":"unknown","session_id":"s"}`
	}
	for line, want := range map[string][]Event{
		claude("1", "401"):  nil,
		claude("2", "401"):  {{Kind: Failed, Fault: NoLogin, Text: "unknown"}},
		claude("1", "null"): {{Kind: Limited, Fault: Passing, Text: "unknown"}},
		claude("1", "502"):  {{Kind: Limited, Fault: Passing, Text: "unknown"}},
		claude("1", "529"):  {{Kind: Limited, Fault: ProviderLimit, Text: "unknown"}},
		`{"type":"error","message":"Reconnecting... 1/5 (stream error)"}`: {
			{Kind: Limited, Fault: Passing, Text: "stream error"}},
		`{"type":"result","status":"error","error":{"message":"[API Error: {\"error\":{\"code\":503,\"message\":\"The model is ` +
			`overloaded.\"}}]"}}`: {{Kind: Failed, Fault: Passing, Text: "The model is overloaded."}},
		`{"type":"error","message":"Reconnecting... 1/5 (unexpected status 401 Unauthorized: no key, url: x)"}`: {
			{Kind: Failed, Fault: NoLogin, Text: "unexpected status 401 Unauthorized: no key, url: x"}},
		`Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {"error":{"message":"Your prepayment credits are ` +
			`depleted."}}`: {{Kind: Failed, Fault: EmptyAccount, Text: "Your prepayment credits are depleted."}},
		opencodeLog("false", "Rate limit reached for x"): {
			{Kind: Limited, Fault: ProviderLimit, Text: "Rate limit reached for x"}},
		opencodeLog("false", "Overloaded"): {{Kind: Limited, Fault: Passing, Text: "Overloaded"}},
		opencodeLog("false", "You exceeded it: insufficient_quota"): {{Kind: Failed, Fault: EmptyAccount,
			Text: "You exceeded it: insufficient_quota"}},
		opencodeLog("true", "Rate limit reached for x"): nil, // asked beside the work, for a title
		"Error: fetch failed":                           {{Kind: Failed, Fault: Passing, Text: "Error: fetch failed"}},
		"npm warn timeout":                              nil,
	} {
		var got []Event
		var d Decoder
		for _, e := range append(d.Feed([]byte(line+"\n")), d.Close()...) {
			if e.Kind == Limited || e.Kind == Failed {
				got = append(got, Event{Kind: e.Kind, Fault: e.Fault, Text: e.Text})
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\ngives %+v, want %+v", line, got, want)
		}
	}
}

// TestBlocked holds what the log of codex's program says of a tool that the hook refused: a command by its line, a
// patch by the reason alone, which names the file.
func TestBlocked(t *testing.T) {
	const log = "2026-11-25T13:49:31Z ERROR codex_core::tools::router: error=Command blocked by PreToolUse hook: "
	for line, want := range map[string]string{
		log + `git push is refused: a person lands it. Command: git push origin HEAD:main`: "· refused: git push " +
			"origin HEAD:main: git push is refused: a person lands it\n",
		log + `"secret/a" is forbidden. Stop.. Command: *** Begin Patch`: "· refused: \"secret/a\" is forbidden. Stop.\n",
	} {
		var d Decoder
		var got string
		for _, e := range d.Feed([]byte(line + "\n")) {
			got += e.Readable()
		}
		if got != want {
			t.Errorf("%q is shown as %q, want %q", line, got, want)
		}
	}
}

// TestBlockedOfPi holds that what the hook refused to pi, by way of our extension, is told as refused.
func TestBlockedOfPi(t *testing.T) {
	var d Decoder
	found := d.Feed([]byte(`{"type":"tool_execution_end","toolName":"bash","isError":true,"result":{"content":[` +
		`{"type":"text","text":"refused: git push is refused: a person lands it"}]}}` + "\n"))
	if len(found) != 1 || found[0].Readable() != "· refused: bash git push is refused: a person lands it\n" {
		t.Errorf("%+v", found)
	}
}
