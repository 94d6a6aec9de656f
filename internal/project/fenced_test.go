package project_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/fence/sandbox"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
)

// dialRole has the test binary connect to an address, or ask for a page by way of the proxy in its environment.
const dialRole = "dial"

func dial(target string) int {
	if page, found := strings.CutPrefix(target, "page:"); found {
		// Go's client goes past the proxy to loopback addresses by itself.
		client := http.Client{Transport: &http.Transport{Proxy: func(*http.Request) (*url.URL, error) {
			if proxy := os.Getenv("HTTP_PROXY"); proxy != "" {
				return url.Parse(proxy)
			}
			return nil, nil
		}}}
		answer, err := client.Get(page)
		if err != nil || answer.StatusCode != http.StatusNoContent {
			fmt.Println(answer, err)
			return 1
		}
		return 0
	}
	c, err := net.Dial("tcp", target)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	_ = c.Close()
	return 0
}

// secluded skips where files cannot be hidden.
func secluded(t *testing.T) {
	t.Helper()
	if s := sandbox.Detect(t.Context()); !s.Namespaces {
		t.Skip("no namespaces here: ", s.Fault)
	}
}

// listener is a server of the person's.
func listener(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(s.Close)
	return s
}

// guarded is a project in which everything is that what agents wrote must not see; the script says
// "found" and what it could.
func guarded(t *testing.T, configuration string) (b *box, p *project.Project, script string) {
	t.Helper()
	secluded(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("DATABASE_URL", "postgres://ada:secret@example.org")
	t.Setenv("NAMED", "yes")
	b = newBox(t, map[string]string{".delegate.yaml": configuration, "f": "f\n", "shown.key": "tracked\n",
		".gitignore": "private.key\n"})
	b.Write(map[string]string{"private.key": "secret\n"})
	p = b.project()
	b.agent(p, "src/**")
	places := []string{
		filepath.Join(b.Dir, "private.key"), filepath.Join(p.Private, "note"), filepath.Join(home, ".ssh", "id"),
		filepath.Join(p.AgentRoot(session, "AGT-001"), "home", "login"),
		filepath.Join(p.WorkPath("limiter", 1), ".env"),
	}
	script = ":"
	for _, place := range places {
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(place, []byte("secret\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		script += "; cat " + run.Quote(place) + " 2>/dev/null && echo found " + run.Quote(place)
	}
	script += `; env | grep secret && echo found DATABASE_URL; (echo x >` + run.Quote(filepath.Join(home, ".bashrc")) +
		`) 2>/dev/null && echo found a way to write`
	return b, p, script
}

const guardedKeys = "restricted: ['*.key']\ncopy: [private.key]\nverify_env: [NAMED]\n"

func ran(t *testing.T, b *box, p *project.Project, line string) string {
	t.Helper()
	o, err := p.RunOn(t.Context(), b.Git("rev-parse", "HEAD"), []string{line}, filepath.Join(p.Private, "log"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.ReadFile(o.Output)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(string(out), "$ "+line+"\n")
}

// TestVerifySeesNoSecrets holds that tests which agents wrote find no login, no restricted file and
// no variable that nobody named.
func TestVerifySeesNoSecrets(t *testing.T) {
	b, p, script := guarded(t, guardedKeys)
	script += "; cat private.key 2>/dev/null && echo found the copy; cat shown.key; echo named $NAMED"
	if got := ran(t, b, p, script); got != "tracked\nnamed yes\n" {
		t.Errorf("verify commands said\n%s", got)
	}
}

// TestVerifyEnvironmentIsAList holds that it is one without a fence, too.
func TestVerifyEnvironmentIsAList(t *testing.T) {
	t.Setenv("DATABASE_URL", "secret")
	t.Setenv("NAMED", "yes")
	b := newBox(t, map[string]string{".delegate.yaml": "verify_env: NAMED\nsandbox: {verify: false}\n"})
	p := b.project()
	if got := ran(t, b, p, `echo "$DATABASE_URL$NAMED${HOME:+, home}${PATH:+, path}"`); got != "yes, home, path\n" {
		t.Errorf("verify commands said %q", got)
	}
}

// TestVerifyNetwork holds that verify commands have the network of agents, unless a key says otherwise.
func TestVerifyNetwork(t *testing.T) {
	secluded(t)
	for name, c := range map[string]struct {
		keys        string
		direct, out bool // reached directly, and by the proxy that the environment names
	}{
		"open":           {"", true, true},
		"none":           {"network: none", false, false},
		"none but open":  {"network: none, verify_network: open", true, true},
		"open but none":  {"verify_network: none", false, false},
		"hosts":          {"network: hosts, hosts: ['HOST']", true, true}, // at its port inside
		"open but hosts": {"verify_network: hosts, hosts: ['127.0.0.1:1']", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := listener(t)
			address := strings.TrimPrefix(s.URL, "http://")
			b := newBox(t, map[string]string{".delegate.yaml": "sandbox: {" +
				strings.ReplaceAll(c.keys, "HOST", address) + "}\n"})
			line := run.Quote(run.Program()) + " " + dialRole + " "
			got := ran(t, b, b.project(),
				line+address+" >/dev/null && echo beside; "+line+"page:"+s.URL+" && echo out; true")
			if strings.Contains(got, "beside\n") != c.direct || strings.Contains(got, "out\n") != c.out {
				t.Errorf("verify commands said\n%s", got)
			}
		})
	}
}

// TestInspectIsHeldIn holds that a checker on what agents wrote gets neither secrets nor a network,
// and writes nothing but what is its own.
func TestInspectIsHeldIn(t *testing.T) {
	_, p, script := guarded(t, guardedKeys+"sandbox: {verify_network: open, verify: false}\n")
	at := t.TempDir()
	in := project.Inspection{Tree: filepath.Join(at, "tree"), Own: filepath.Join(at, "own")}
	for _, folder := range []string{in.Tree, in.Own} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s := listener(t)
	script += "; " + run.Quote(run.Program()) + " " + dialRole + " " + strings.TrimPrefix(s.URL, "http://") +
		" >/dev/null && echo found the network" +
		"; echo $NAMED; (echo x >t) 2>/dev/null && echo wrote the tree; echo x >$TMPDIR/t && echo wrote its own; pwd"
	look := func(in project.Inspection) string {
		var out bytes.Buffer
		c := run.Shell(script)
		c.Stdout, c.Stderr = &out, &out
		if err := p.Inspect(t.Context(), in, c); err != nil {
			t.Errorf("%v\n%s", err, out.String())
		}
		return out.String()
	}
	if got := look(in); got != "\nwrote its own\n"+in.Tree+"\n" {
		t.Errorf("it said\n%s", got)
	}
	in.Writes = true
	if got := look(in); got != "\nwrote the tree\nwrote its own\n"+in.Tree+"\n" {
		t.Errorf("one that writes said\n%s", got)
	}
	p.Config.Sandbox.Level = config.SandboxOff
	if err := p.Inspect(t.Context(), in, run.Shell("echo x >"+run.Quote(filepath.Join(at, "ran")))); err == nil ||
		p.Inspects() {
		t.Error("it runs without a fence")
	}
	if _, err := os.Stat(filepath.Join(at, "ran")); err == nil {
		t.Error("it ran without a fence")
	}
}

// TestAnalysisIsHeldIn holds that what analyses agents' work sees no secret, no login of git's configuration of the
// system, and no network, and writes nothing.
func TestAnalysisIsHeldIn(t *testing.T) {
	system := filepath.Join(t.TempDir(), "system")
	const settings = "[http]\n\textraheader = SECRET\n[test]\n\tkept = yes\n"
	if err := os.WriteFile(system, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_NOSYSTEM", "")
	t.Setenv("GIT_CONFIG_SYSTEM", system)
	_, p, script := guarded(t, guardedKeys)
	folder := filepath.Join(t.TempDir(), "analysis")
	fence, err := p.FenceAnalysis(t.Context(), folder, []string{run.Program()})
	if err != nil || fence == nil {
		t.Fatal(fence, err)
	}
	s := listener(t)
	script += "; " + run.Quote(run.Program()) + " " + dialRole + " " + strings.TrimPrefix(s.URL, "http://") +
		" >/dev/null && echo found the network; (echo x >t) 2>/dev/null && echo wrote; cat " + run.Quote(system)
	c := run.Shell(script)
	c.Dir, c.Env = folder, []string{"PATH=" + os.Getenv("PATH")}
	out, err := run.Output(t.Context(), fence.Around(c))
	if got := string(out); err != nil || got != "[test]\n\tkept = \"yes\"\n" {
		t.Errorf("it said\n%s%v", got, err)
	}
}
