//go:build forge && !windows

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/land/forge"
	"delegate/internal/project/config"

	"github.com/rogpeppe/go-internal/testscript"
)

// giteaVariable names a program that is built already; without it the tests build one, which takes minutes the first
// time.
const giteaVariable = "GITEA"

// The people whom the forge knows, and their one password.
const (
	authorName, reviewerName = "ada", "rev"
	giteaPassword            = "correct-horse-battery"
)

// gitea is a forge on the loopback, with a folder of its own.
type gitea struct {
	testing.TB
	program, folder, url string
	login                *syscall.Credential // it refuses to run as root
	owner                string
}

// TestForge plays what a person does against a real forge.
func TestForge(t *testing.T) {
	g := startGitea(t)
	t.Run("issue", g.testIssue)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join(scriptFolder, "forge"), RequireUniqueNames: true, Condition: condition,
		Setup: func(env *testscript.Env) error {
			if err := setUp(env); err != nil {
				return err
			}
			env.Setenv("GITEA", g.url)
			source, err := filepath.Abs(filepath.Join("..", ".."))
			if err != nil {
				return err
			}
			env.Setenv("SOURCE", source)
			home := filepath.Join(env.WorkDir, "home")
			at := strings.Replace(g.url, "://", "://"+authorName+":"+giteaPassword+"@", 1)
			if err := os.WriteFile(filepath.Join(home, ".git-credentials"), []byte(at+"\n"), 0o600); err != nil {
				return err
			}
			config, err := os.OpenFile(filepath.Join(home, ".gitconfig"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer config.Close()
			_, err = config.WriteString("[credential]\n\thelper = store\n")
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"api": g.api, "filled": g.filled},
	})
}

// testIssue reads an issue of a private repository, by the login that git knows.
func (g *gitea) testIssue(t *testing.T) {
	for _, made := range [][2]string{
		{"/user/repos", `{"name":"hidden","private":true,"auto_init":true}`},
		{"/repos/" + authorName + "/hidden/issues", `{"title":"Flaky","body":"It fails."}`},
	} {
		_, err := g.call(authorName, http.MethodPost, made[0], made[1])
		g.ok(err)
	}
	here := gittest.New(t, map[string]string{"a": "a\n"})
	at := strings.Replace(g.url, "://", "://"+authorName+":"+giteaPassword+"@", 1)
	here.Git("remote", "add", "origin", at+"/"+authorName+"/hidden.git")
	repo, err := git.Open(t.Context(), here.Dir)
	g.ok(err)
	f, err := forge.Detect(t.Context(), repo, "origin", config.AutoForge)
	g.ok(err)
	want := forge.Issue{Title: "Flaky", Body: "It fails.", URL: g.url + "/" + authorName + "/hidden/issues/1"}
	for _, name := range []string{"1", "#1", want.URL} {
		if got, err := f.Issue(t.Context(), name); err != nil || got != want {
			t.Errorf("issue %q is %+v, %v", name, got, err)
		}
	}
	if got, err := f.Issue(t.Context(), "http://elsewhere.example/team/x/issues/1"); err == nil {
		t.Errorf("an issue of another place is %+v", got)
	}
}

// api is a call of the forge's interface, as WHO METHOD PATH [CONTENT]; its answer is the output.
func (g *gitea) api(ts *testscript.TestScript, negated bool, args []string) {
	if len(args) < 3 || negated {
		ts.Fatalf("usage: api WHO METHOD PATH [CONTENT]")
	}
	answer, err := g.call(args[0], args[1], args[2], strings.Join(args[3:], " "))
	// whether a request can be merged it finds out in the background
	for deadline := time.Now().Add(patience); err != nil && strings.Contains(err.Error(), "try again later") &&
		time.Now().Before(deadline); {
		time.Sleep(200 * time.Millisecond)
		answer, err = g.call(args[0], args[1], args[2], strings.Join(args[3:], " "))
	}
	ts.Check(err)
	_, err = ts.Stdout().Write(answer)
	ts.Check(err)
}

// filled waits until the forge, in the background, has seen the first push to a repository: filled OWNER/REPOSITORY.
func (g *gitea) filled(ts *testscript.TestScript, negated bool, args []string) {
	if len(args) != 1 || negated {
		ts.Fatalf("usage: filled OWNER/REPOSITORY")
	}
	owner, _, _ := strings.Cut(args[0], "/")
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		answer, err := g.call(owner, http.MethodGet, "/repos/"+args[0], "")
		ts.Check(err)
		repository := struct{ Empty bool }{true}
		if ts.Check(json.Unmarshal(answer, &repository)); !repository.Empty {
			return
		}
	}
	ts.Fatalf("%s is still empty", args[0])
}

func (g *gitea) call(who, method, path, content string) ([]byte, error) {
	q, err := http.NewRequest(method, g.url+"/api/v1"+path, strings.NewReader(content))
	if err != nil {
		return nil, err
	}
	q.SetBasicAuth(who, giteaPassword)
	q.Header.Set("Content-Type", "application/json")
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode > 299 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, r.Status, answer)
	}
	var indented bytes.Buffer
	if json.Indent(&indented, answer, "", "  ") == nil {
		answer = indented.Bytes()
	}
	return answer, err
}

// startGitea builds it where it is not, and runs it until the test is over.
func startGitea(t *testing.T) *gitea {
	t.Helper()
	g := &gitea{TB: t, program: os.Getenv(giteaVariable), folder: t.TempDir()}
	module, err := filepath.Abs(filepath.Join("..", "..", "bench", "forge"))
	g.ok(err)
	if g.program == "" {
		g.program = filepath.Join(g.folder, "gitea")
		g.run(module, "go", "build", "-mod=mod", "-tags", "sqlite,sqlite_unlock_notify,netgo,osusergo", "-o", g.program,
			"code.gitea.io/gitea")
	}
	source := strings.TrimSpace(g.run(module, "go", "list", "-mod=mod", "-m", "-f", "{{.Dir}}", "code.gitea.io/gitea"))
	for _, name := range []string{"templates", "options", "public"} {
		g.ok(os.CopyFS(filepath.Join(g.folder, "static", name), os.DirFS(filepath.Join(source, name))))
	}
	g.configure()
	g.giveAway()
	g.serve()
	for _, who := range []string{authorName, reviewerName} {
		g.gitea("admin", "user", "create", "--username", who, "--password", giteaPassword,
			"--email", who+"@example.com", "--admin", "--must-change-password=false")
	}
	return g
}

func (g *gitea) ok(err error) {
	g.Helper()
	if err != nil {
		g.Fatal(err)
	}
}

func (g *gitea) run(dir, program string, args ...string) string {
	g.Helper()
	cmd := exec.Command(program, args...)
	// as .ci/run builds, so that what was compiled there serves here
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath", "GOGC=400", "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		g.Fatalf("%s %q: %v", program, args, err)
	}
	return string(out)
}

// configure writes app.ini for a port that was free a moment ago.
func (g *gitea) configure() {
	g.Helper()
	me, err := user.Current()
	g.ok(err)
	g.owner = me.Username
	if me.Uid == "0" {
		nobody, err := user.Lookup("nobody")
		g.ok(err)
		uid, uidErr := strconv.Atoi(nobody.Uid)
		gid, gidErr := strconv.Atoi(nobody.Gid)
		if uidErr != nil || gidErr != nil {
			g.Fatal(uidErr, gidErr)
		}
		g.login, g.owner = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, "nobody"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	g.ok(err)
	address := listener.Addr().String()
	g.ok(listener.Close())
	_, port, err := net.SplitHostPort(address)
	g.ok(err)
	g.url = "http://" + address
	ini := fmt.Sprintf(`RUN_USER = %[1]s
RUN_MODE = prod
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %[2]s
ROOT_URL = %[3]s/
OFFLINE_MODE = true
DISABLE_SSH = true
APP_DATA_PATH = %[4]s/data
STATIC_ROOT_PATH = %[4]s/static
[database]
DB_TYPE = sqlite3
PATH = %[4]s/gitea.db
[repository]
ROOT = %[4]s/repositories
[security]
INSTALL_LOCK = true
SECRET_KEY = of-a-test
[service]
DISABLE_REGISTRATION = true
[log]
ROOT_PATH = %[4]s/log
LEVEL = Error
`, g.owner, port, g.url, g.folder)
	g.ok(os.WriteFile(filepath.Join(g.folder, "app.ini"), []byte(ini), 0o644))
}

// giveAway makes the folder that of the user who runs it, and everything above readable for them.
func (g *gitea) giveAway() {
	g.Helper()
	if g.login == nil {
		return
	}
	g.ok(filepath.WalkDir(g.folder, func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Chown(path, int(g.login.Uid), int(g.login.Gid))
		}
		return err
	}))
	for up := g.folder; up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
		g.ok(os.Chmod(up, 0o755))
	}
}

func (g *gitea) command(args ...string) *exec.Cmd {
	cmd := exec.Command(g.program, append(args, "--config", filepath.Join(g.folder, "app.ini"))...)
	cmd.Dir = g.folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + g.folder, "USER=" + g.owner,
		"GITEA_WORK_DIR=" + g.folder}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: g.login}
	return cmd
}

func (g *gitea) gitea(args ...string) {
	g.Helper()
	if out, err := g.command(args...).CombinedOutput(); err != nil {
		g.Fatalf("gitea %q: %v\n%s", args, err, out)
	}
}

// serve starts it and waits until it answers.
func (g *gitea) serve() {
	g.Helper()
	cmd := g.command("web")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	g.ok(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	g.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(patience):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		select {
		case err := <-ended:
			g.Fatalf("gitea ended: %v\n%s", err, said.String())
		default:
		}
		r, err := http.Get(g.url + "/api/v1/version")
		if err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
		}
	}
	g.Fatal("gitea does not answer")
}
