package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"delegate/internal/sys/run"
)

// kubectl is a command line of kubectl, which signs in as the kubeconfig says. Preferences of the person's would add
// options to it, such as a question before something is deleted.
func (k *kubernetes) kubectl(words ...string) run.Command {
	if k.settings.Context != "" {
		words = append([]string{"--context=" + k.settings.Context}, words...)
	}
	return run.Command{Path: "kubectl", Args: words, Dir: "/", Bound: true,
		Env: append(os.Environ(), "KUBECTL_KUBERC=false")}
}

// answer is what kubectl gave, and what the API warns of.
type answer struct {
	out      []byte
	warnings []string
}

// ask runs kubectl to its end. Where it says what is wrong, that is a *kubectlError.
func (k *kubernetes) ask(ctx context.Context, input []byte, words ...string) (answer, error) {
	var stderr bytes.Buffer
	command := k.kubectl(words...)
	command.Stdin, command.Stderr, command.Limit = bytes.NewReader(input), &stderr, callLimit
	out, err := run.Output(ctx, command)
	a, said := answer{out: out}, []string(nil)
	for line := range strings.Lines(stderr.String()) {
		if warning, ok := strings.CutPrefix(line, "Warning: "); ok {
			a.warnings = append(a.warnings, strings.TrimSpace(warning))
		} else {
			said = append(said, strings.TrimSpace(line))
		}
	}
	if run.ExitCode(err) > 0 {
		err = readError(said)
	}
	return a, err
}

// kubectlError is why kubectl ended with a failure.
type kubectlError struct {
	reason string // the API's word for it, "" where it did not answer
	words  string
}

func (e *kubectlError) Error() string { return e.words }

// reasonOf is the API's word for what is wrong, "" where there is none.
func reasonOf(err error) string {
	if said, ok := errors.AsType[*kubectlError](err); ok {
		return said.reason
	}
	return ""
}

// readError reads the lines that kubectl says of a failure. What the API refuses is "Error from server (REASON): WORDS"
// but for fields that are not valid, said as the API says it. Who signs in may have said something before.
func readError(lines []string) error {
	for i, line := range lines {
		words := strings.Join(lines[i:], " ")
		if after, ok := strings.CutPrefix(words, "Error from server ("); ok {
			if reason, words, ok := strings.Cut(after, "): "); ok {
				return &kubectlError{reason, words}
			}
		}
		if before, _, ok := strings.Cut(line, " is invalid"); ok && strings.HasPrefix(before, "The ") {
			return &kubectlError{"Invalid", words}
		}
	}
	text := cmp.Or(strings.TrimPrefix(strings.Join(lines, " "), "error: "), "kubectl failed, and does not say why")
	return &kubectlError{"", text}
}

// get reads a path of the API, whose answer has to be of a kind.
func (k *kubernetes) get(ctx context.Context, path, kind string, into any) error {
	answer, err := k.ask(ctx, nil, "get", "--raw", path)
	if err != nil {
		return err
	}
	var is struct{ Kind string }
	if err := json.Unmarshal(answer.out, &is); err != nil {
		return fmt.Errorf("read the answer of %s: %w", path, err)
	}
	if is.Kind != kind {
		return fmt.Errorf("read the answer of %s: it is a %q and no %s", path, is.Kind, kind)
	}
	if err := json.Unmarshal(answer.out, into); err != nil {
		return fmt.Errorf("read the answer of %s: %w", path, err)
	}
	return nil
}

// post sends something to a path of the API.
func (k *kubernetes) post(ctx context.Context, path string, body any) (answer, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return answer{}, err
	}
	return k.ask(ctx, data, "create", "--raw", path, "--filename=-")
}
