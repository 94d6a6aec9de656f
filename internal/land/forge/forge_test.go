package forge_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/land/forge"
	"delegate/internal/project/config"
	"delegate/registry"
)

// remote is a repository with a bare one as its origin.
type remote struct {
	*gittest.Repo
	repo *git.Repo
	bare string
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	r := gittest.New(t, map[string]string{"a.txt": "a\n"})
	bare := filepath.Join(t.TempDir(), "origin.git")
	r.Git("clone", "-q", "--bare", ".", bare)
	r.Git("remote", "add", "origin", bare)
	repo, err := git.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return &remote{r, repo, bare}
}

// commit is one on top of main that no reference names.
func (r *remote) commit(message string) string {
	r.Helper()
	return r.Git("commit-tree", "-p", "main", "-m", message, "main^{tree}")
}

func (r *remote) detect(kind string) *forge.Forge {
	r.Helper()
	f, err := forge.Detect(r.Context(), r.repo, "origin", kind)
	if err != nil {
		r.Fatal(err)
	}
	return f
}

// there is what the remote has under a name.
func (r *remote) there(ref string) string {
	r.Helper()
	out, _ := r.Try("ls-remote", "origin", ref)
	id, _, _ := strings.Cut(out, "\t")
	return id
}

func TestPushIsOnceAndOnlyOverItsOwn(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	f := r.detect(config.AutoForge)
	if f.Kind != config.NoForge {
		t.Fatalf("a folder is %q", f.Kind)
	}
	main := r.there("refs/heads/main")
	first := forge.Request{Branch: "delegate/words", Base: "main", Commit: r.commit("one")}
	for range 2 {
		if err := f.Push(t.Context(), first); err != nil {
			t.Fatal(err)
		}
	}
	second := first
	second.Old, second.Commit = first.Commit, r.commit("two")
	if err := f.Push(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if got := r.there("refs/heads/delegate/words"); got != second.Commit {
		t.Errorf("the branch is at %s", got)
	}
	theirs := r.commit("a person's")
	r.Git("push", "-q", "origin", "+"+theirs+":refs/heads/delegate/words")
	third := second
	third.Old, third.Commit = second.Commit, r.commit("three")
	var moved *git.MovedError
	if err := f.Push(t.Context(), third); !errors.As(err, &moved) || moved.Found != theirs {
		t.Errorf("a push over others' work: %v", err)
	}
	if err := f.Push(t.Context(), forge.Request{Branch: "main", Base: "main", Commit: first.Commit}); err == nil {
		t.Error("a push to the base was not refused")
	}
	if got := r.there("refs/heads/main"); got != main {
		t.Errorf("main is at %s", got)
	}
}

func TestLoginsAreInNoError(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("WWW-Authenticate", "Basic")
		http.Error(w, "who", http.StatusUnauthorized)
	}))
	defer server.Close()
	r.Git("remote", "set-url", "origin", strings.Replace(server.URL, "http://", "http://pat:hunter2@", 1)+"/team/x.git")
	f := r.detect(config.Gitea)
	errs := []error{
		f.Push(t.Context(), forge.Request{Branch: "b", Base: "main", Commit: r.commit("one")}),
	}
	_, err := f.Look(t.Context(), registry.PullRequest{URL: server.URL + "/team/x/pulls/1"})
	errs = append(errs, err)
	_, err = r.repo.FetchBranch(t.Context(), git.Upstream{Remote: "origin", Ref: "refs/heads/main"}, "refs/delegate/x")
	errs = append(errs, err)
	err = r.repo.Push(t.Context(), git.Push{Remote: "origin", Commit: "HEAD", Ref: "refs/heads/x"})
	for _, err := range append(errs, err) {
		if err == nil {
			t.Error("it went well")
		} else if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, "hunter2") {
			t.Errorf("the password is in %s", text)
		}
	}
	const want = "see http://h/x, ssh://h:22/y and git@h:z"
	if got := git.Masked("see http://a:b@c@h/x, ssh://u@h:22/y and git@h:z"); got != want {
		t.Errorf("masked: %s", got)
	}
}

// A bare repository behind git's own server, which wants a login that only the person's helper knows.
func TestPushOverHTTPWithALogin(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	r.Git("--git-dir", r.bare, "config", "http.receivepack", "true")
	backend := cgi.Handler{Path: filepath.Join(r.Git("--exec-path"), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(r.bare), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=pat"}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if _, password, known := q.BasicAuth(); !known || password != "hunter2" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			http.Error(w, "who", http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, q)
	}))
	defer server.Close()
	r.Git("remote", "set-url", "origin", server.URL+"/"+filepath.Base(r.bare))
	q := forge.Request{Branch: "delegate/words", Base: "main", Commit: r.commit("one")}
	if err := r.detect(config.AutoForge).Push(t.Context(), q); err == nil {
		t.Fatal("pushed without a login")
	}
	r.Git("config", "credential.helper", "!f() { echo username=pat; echo password=hunter2; }; f")
	f := r.detect(config.AutoForge)
	if f.Kind != config.NoForge {
		t.Errorf("it is %q", f.Kind)
	}
	if err := f.Push(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	got := gittest.In(t, r.bare).Git("rev-parse", "delegate/words")
	fetched, err := r.repo.FetchBranch(t.Context(), git.Upstream{Remote: "origin", Ref: "refs/heads/delegate/words"},
		"refs/delegate/x")
	if err != nil || got != q.Commit || fetched != got {
		t.Errorf("there is %s, fetched %s, %v", got, fetched, err)
	}
	if tracked, _ := r.Try("rev-parse", "--verify", "--quiet", "refs/remotes/origin/delegate/words"); tracked != "" &&
		!strings.HasPrefix(tracked, q.Commit) {
		t.Errorf("the person's remote-tracking branch is %s", tracked)
	}
}

// A push option is one value in one line, whatever an agent called its work.
// recordOptions has the remote write the options of a push into the answered file.
func (r *remote) recordOptions() (said string) {
	r.Helper()
	said = filepath.Join(r.TempDir(), "said")
	r.Git("--git-dir", r.bare, "config", "receive.advertisePushOptions", "true")
	hook := fmt.Sprintf("#!/bin/sh\ni=0\nwhile [ $i -lt \"$GIT_PUSH_OPTION_COUNT\" ]; do eval \"printf '%%s\\n' "+
		"\\\"\\$GIT_PUSH_OPTION_$i\\\"\" >>%s; i=$((i+1)); done\n", said)
	hooks := filepath.Join(r.bare, "hooks")
	if err := errors.Join(os.MkdirAll(hooks, 0o755),
		os.WriteFile(filepath.Join(hooks, "pre-receive"), []byte(hook), 0o755)); err != nil {
		r.Fatal(err)
	}
	return said
}

func TestWordsAreNoOptions(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	said := r.recordOptions()
	err := r.detect(config.GitLab).Push(t.Context(), forge.Request{Branch: "delegate/x", Base: "main",
		Title: "--force\nmerge_request.merge_when_pipeline_succeeds", Body: "one\ntwo\rmerge_request.x",
		Commit: r.commit("x")})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	want := "merge_request.create\nmerge_request.target=main\n" +
		"merge_request.title=--force merge_request.merge_when_pipeline_succeeds\n" +
		"merge_request.description=one\\ntwo merge_request.x\n"
	if string(data) != want {
		t.Errorf("the remote got\n%s", data)
	}
}

// TestCodeStaysCodeInOneLine holds that what an agent says stays code for a forge whose push options are one line.
func TestCodeStaysCodeInOneLine(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"version":"7.0.0+gitea-1.22.0"}`)
	}))
	defer server.Close()
	r := newRemote(t)
	said := r.recordOptions()
	r.Git("remote", "set-url", "origin", server.URL+"/o/r.git")
	f := r.detect(config.Gitea)
	r.Git("remote", "set-url", "origin", r.bare)
	err := f.Push(t.Context(), forge.Request{Branch: "delegate/x", Base: "main", Title: "Title",
		Body: "It says:\n\n    Closes #1\n    and `@all` too\n\nFiles:\n", Commit: r.commit("x")})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(said)
	if want := "description=It says: `Closes #1` `and '@all' too` Files:\n"; err != nil ||
		!strings.HasSuffix(string(data), want) {
		t.Errorf("the remote got\n%s, %v", data, err)
	}
}

// gh is a script here that records its arguments and answers as the documents of gh say; nobody has a login for the
// real one in a test.
func TestGitHubByTheCommandLineOfGH(t *testing.T) {
	r := newRemote(t)
	folder := t.TempDir()
	script := `#!/bin/sh
{ for a; do printf '%s\n' "$a"; done; echo --; } >>` + folder + `/calls
case "$1 $2" in
"pr list") cat ` + folder + `/list ;;
"pr create") cat >` + folder + `/body; echo "Creating pull request"; echo https://github.com/team/x/pull/7 ;;
"pr edit") cat >` + folder + `/body ;;
"pr view") echo '{"state":"'$(cat ` + folder + `/state)'","mergeCommit":{"oid":"` + strings.Repeat("a", 40) + `"},` +
		`"comments":[{"body":"Please rename it","author":{"login":"rev"},"createdAt":"2026-01-02T15:04:05Z"}],"reviews":[]}' ;;
"api "*) echo '[{"body":"and\u202e here","path":"a\u001b[2J.txt","line":3,"user":{"login":"rev"},"created_at":"2026-01-02T15:05:05Z"}]' ;;
"issue view") cat ` + folder + `/issue ;;
esac
`
	for name, text := range map[string]string{"gh": script, "list": "[]", "state": "MERGED",
		"issue": `{"title":"Flaky","body":"It fails","url":"https://github.com/team/x/issues/\u202e3"}`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	r.Git("remote", "set-url", "origin", "git@github.com:team/x.git")
	f := r.detect(config.AutoForge)
	if f.Kind != config.GitHub {
		t.Fatalf("it is %q", f.Kind)
	}
	q := forge.Request{Branch: "delegate/words", Base: "main", Title: "--web", Body: "line\nline\n",
		Commit: r.commit("x")}
	url, err := f.Open(t.Context(), q)
	if err != nil || url != "https://github.com/team/x/pull/7" {
		t.Fatalf("opened %q, %v", url, err)
	}
	if err := os.WriteFile(filepath.Join(folder, "list"), []byte(`[{"url":"`+url+`"}]`), 0o644); err != nil {
		t.Fatal(err)
	}
	if again, err := f.Open(t.Context(), q); err != nil || again != url {
		t.Errorf("opened once more %q, %v", again, err)
	}
	calls, err := os.ReadFile(filepath.Join(folder, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"pr\ncreate\n--repo=github.com/team/x\n--base=main\n--head=delegate/words\n--title=--web\n--body-file=-\n--\n",
		"pr\nedit\n--repo=github.com/team/x\n--base=main\n--title=--web\n--body-file=-\n--\n7\n",
	} {
		if !strings.Contains(string(calls), want) {
			t.Errorf("gh was not called with\n%s\nbut\n%s", want, calls)
		}
	}
	if strings.Count(string(calls), "create") != 1 {
		t.Error("it was opened twice")
	}
	pr := registry.PullRequest{URL: url}
	seen, err := f.Look(t.Context(), pr)
	if err != nil || seen.State != registry.PullRequestMerged || seen.Commit != strings.Repeat("a", 40) {
		t.Errorf("seen %+v, %v", seen, err)
	}
	said, err := f.Comments(t.Context(), pr, time.Date(2026, 1, 2, 15, 4, 6, 0, time.UTC))
	if err != nil || len(said) != 1 || said[0].String() != "rev on a.txt:3: and here" {
		t.Errorf("comments %v, %v", said, err)
	}
	issue, err := f.Issue(t.Context(), "#3")
	if err != nil || issue.Title != "Flaky" || issue.Body != "It fails" ||
		issue.URL != "https://github.com/team/x/issues/%E2%80%AE3" {
		t.Errorf("issue %+v, %v", issue, err)
	}
	if err := os.WriteFile(filepath.Join(folder, "state"), []byte("QUEUED"), 0o644); err != nil {
		t.Fatal(err)
	}
	if seen, err := f.Look(t.Context(), pr); err == nil {
		t.Errorf("seen %+v", seen)
	}
	for _, answer := range []string{`https://x.example/\u001b]0;owned`, `javascript:alert(1)`, `closes #1`} {
		if err := os.WriteFile(filepath.Join(folder, "issue"), []byte(`{"url":"`+answer+`"}`), 0o644); err != nil {
			t.Fatal(err)
		}
		if issue, err := f.Issue(t.Context(), "3"); err == nil {
			t.Errorf("%s is the address of %+v", answer, issue)
		}
	}
}

func TestByHandWithoutGH(t *testing.T) {
	r := newRemote(t)
	git, err := filepath.Abs("/usr/bin/git")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Symlink(git, filepath.Join(folder, "git")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	r.Git("remote", "set-url", "origin", "https://github.com/team/x.git")
	f := r.detect(config.AutoForge)
	got := f.ByHand(forge.Request{Branch: "delegate/words", Base: "main"})
	if f.Kind != config.NoForge || got != "https://github.com/team/x/compare/main...delegate/words?expand=1" {
		t.Errorf("%q: %s", f.Kind, got)
	}
}
