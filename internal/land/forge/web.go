package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"delegate/internal/git"
	"delegate/internal/project/config"
)

// How long one answer may take, and how large it may be.
const (
	answerLimit = 10 * time.Second
	mostBytes   = 8 << 20
)

// web asks a forge's HTTP interface.
type web struct {
	repo    *git.Repo
	address address
	kind    string

	user, password string
	asked          bool // for the login
}

// RefusedError is an answer that is none.
type RefusedError struct {
	URL    string
	Status int
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s answered with status %d", e.URL, e.Status)
}

// needsLogin says whether the answer may be another one for somebody whom the forge knows.
func needsLogin(err error) bool {
	var refused *RefusedError
	return errors.As(err, &refused) && (refused.Status == http.StatusUnauthorized ||
		refused.Status == http.StatusForbidden || refused.Status == http.StatusNotFound)
}

// get reads an answer, first as nobody, then as the person.
func (w *web) get(ctx context.Context, at string, answer any) error {
	err := w.call(ctx, http.MethodGet, at, nil, answer)
	if needsLogin(err) && w.findLogin(ctx) {
		err = w.call(ctx, http.MethodGet, at, nil, answer)
	}
	return err
}

// send changes something as the person; ErrUnsupported if nobody knows their login.
func (w *web) send(ctx context.Context, method, at string, content any) error {
	if !w.findLogin(ctx) {
		return fmt.Errorf("%w: git knows no login for %s", errUnsupported, w.address.site())
	}
	data, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("ask %s: %w", at, err)
	}
	return w.call(ctx, method, at, data, nil)
}

// findLogin is the login of the remote's address, or what git's credential helpers know.
func (w *web) findLogin(ctx context.Context) bool {
	if w.asked {
		return w.password != ""
	}
	w.asked = true
	if login := w.address.login; login != nil {
		w.user = login.Username()
		w.password, _ = login.Password()
	}
	if w.password == "" {
		page := &url.URL{Scheme: w.address.scheme, Host: w.address.host, Path: w.address.path + ".git"}
		if user, password, err := w.repo.Login(ctx, page); err == nil {
			w.user, w.password = user, password
		}
	}
	return w.password != ""
}

func (w *web) call(ctx context.Context, method, at string, content []byte, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, at, bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("ask %s: %w", at, err)
	}
	r.Header.Set("Accept", "application/json")
	if content != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	switch {
	case w.password == "":
	case w.kind == config.GitLab:
		r.Header.Set("Authorization", "Bearer "+w.password)
	default:
		r.SetBasicAuth(w.user, w.password)
	}
	return exchange(r, answer)
}

// exchange sends a question and reads its answer, in which nothing is followed to another host.
func exchange(r *http.Request, answer any) error {
	client := http.Client{CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		if next.URL.Host != r.URL.Host {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	response, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("ask %s: %w", r.URL.Redacted(), err)
	}
	defer response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return &RefusedError{URL: r.URL.Redacted(), Status: response.StatusCode}
	}
	if answer == nil {
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, mostBytes)).Decode(answer); err != nil {
		return fmt.Errorf("read the answer of %s: %w", r.URL.Redacted(), err)
	}
	return nil
}

// answers says whether an address answers with an object that has one of the names, whatever its status.
func answers(ctx context.Context, at string, names ...string) bool {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	var object map[string]any
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusUnauthorized ||
		!strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") ||
		json.NewDecoder(io.LimitReader(response.Body, mostBytes)).Decode(&object) != nil {
		return false
	}
	for _, name := range names {
		if text, is := object[name].(string); is && text != "" {
			return true
		}
	}
	return false
}
