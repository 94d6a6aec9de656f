//go:build bench && !windows

package agents

import (
	"bytes"
	"maps"
	"net"
	"net/http"
)

// The faults of a provider, and those of the way to it.
const (
	wrongKey     = "key"
	noModel      = "model"
	emptyAccount = "account"
	cutStream    = "cut"   // in the middle of its answer
	noAnswer     = "reset" // the connection, before anything is answered
)

// fault is what goes wrong with a request so many times: a step is asked for again until then.
type fault struct {
	Kind  string `json:"kind"`
	Times int    `json:"times"`
}

func (f fault) known() bool {
	switch f.Kind {
	case wrongKey, noModel, emptyAccount, cutStream, noAnswer:
		return f.Times > 0
	}
	return false
}

// fail does to a request what the fault says. A fault of the way there ends the connection.
func (f fault) fail(w http.ResponseWriter, by wire, a answer) {
	switch f.Kind {
	case cutStream:
		half := held{header: http.Header{}}
		by.answer(&half, a)
		maps.Copy(w.Header(), half.header)
		_, _ = w.Write(half.body.Bytes()[:half.body.Len()/2]) // who asked may be gone
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case noAnswer:
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // a reset, and not an end
		}
		_ = conn.Close()
	default:
		status, body := by.fail(f.Kind)
		send(w, status, body)
	}
}

// held is an answer that is not sent yet.
type held struct {
	header http.Header
	body   bytes.Buffer
}

func (h *held) Header() http.Header         { return h.header }
func (h *held) Write(p []byte) (int, error) { return h.body.Write(p) }
func (h *held) WriteHeader(int)             {}

// Providers' own words for what is wrong.

func failAnthropic(kind string) (int, object) {
	status, name, message := http.StatusUnauthorized, "authentication_error", "invalid x-api-key"
	switch kind {
	case noModel:
		status, name, message = http.StatusNotFound, "not_found_error", "model: scripted"
	case emptyAccount:
		status, name, message = http.StatusBadRequest, "invalid_request_error", "Your credit balance is too low to "+
			"access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."
	}
	return status, object{"type": "error", "error": object{"type": name, "message": message}}
}

func failOpenAI(kind string) (int, object) {
	status, name, code, message := http.StatusUnauthorized, "invalid_request_error", "invalid_api_key",
		"Incorrect API key provided: none. You can find your API key at https://platform.openai.com/account/api-keys."
	switch kind {
	case noModel:
		status, code, message = http.StatusNotFound, "model_not_found",
			"The model `scripted` does not exist or you do not have access to it."
	case emptyAccount:
		status, name, code, message = http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota",
			"You exceeded your current quota, please check your plan and billing details. For more information on "+
				"this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors."
	}
	return status, object{"error": object{"message": message, "type": name, "param": nil, "code": code}}
}

func failGemini(kind string) (int, object) {
	status, name, message := http.StatusBadRequest, "INVALID_ARGUMENT",
		"API key not valid. Please pass a valid API key."
	switch kind {
	case noModel:
		status, name, message = http.StatusNotFound, "NOT_FOUND", "models/scripted is not found for API version "+
			"v1beta, or is not supported for generateContent. Call ListModels to see the list of available models."
	case emptyAccount:
		status, name, message = http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Your prepayment credits are "+
			"depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing."
	}
	return status, object{"error": object{"code": status, "message": message, "status": name}}
}
