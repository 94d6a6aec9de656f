//go:build !windows

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"delegate/internal/engine"
	"delegate/internal/project/config"
	"delegate/internal/sys/long"
	"delegate/internal/sys/run"

	"github.com/rogpeppe/go-internal/testscript"
)

// slurmVariable names the folder of a Slurm for tests, which .ci/slurm makes; kubernetesVariable that of a Kubernetes,
// which .ci/kubernetes makes. Instead of that any cluster can be named, by a kubeconfig and a pod template whose image
// has the program of these tests as delegate, block and forge.
const (
	slurmVariable      = "DELEGATE_TEST_SLURM"
	kubernetesVariable = "DELEGATE_TEST_KUBERNETES"
	configVariable     = "DELEGATE_TEST_KUBECONFIG"
	templateVariable   = "DELEGATE_TEST_TEMPLATE"
	// engineVariable has what a script's configuration says of its engine.
	engineVariable = "ENGINE"
	fillVariable   = "FILL" // what fills all of it
	// mirrorVariable is a folder of the nodes, and of this machine, in which a script can have a clone.
	mirrorVariable = "MIRROR"
)

// engineScripts are those that every engine runs.
const engineScripts = scriptFolder + "/engine"

// TestSlurm plays what a person does with turns that run on a real Slurm, of which these tests may kill what they like.
func TestSlurm(t *testing.T) {
	dir := os.Getenv(slurmVariable)
	if dir == "" {
		t.Skip("there is no Slurm for tests; .ci/slurm installs and starts one, and says what to set")
	}
	on := func(env *testscript.Env, options string) {
		env.Setenv(slurmVariable, dir)
		env.Setenv(mirrorVariable, filepath.Join(dir, "mirrors", filepath.Base(env.WorkDir)))
		env.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
		env.Setenv(engineVariable, "kind: slurm, options: ["+options+"]")
		env.Setenv(fillVariable, "--nodes=2 --ntasks-per-node=8")
	}
	playEngine(t, "slurm", func(env *testscript.Env) { on(env, "") },
		func(env *testscript.Env) { on(env, "--partition=fragile") })
}

// TestKubernetes does the same on a real Kubernetes.
func TestKubernetes(t *testing.T) {
	dir, kubeconfig := os.Getenv(kubernetesVariable), os.Getenv(configVariable)
	if dir == "" && kubeconfig == "" {
		t.Skip("there is no Kubernetes for tests; make test-kubernetes builds and starts one")
	}
	on := func(env *testscript.Env) {
		env.Setenv(kubernetesVariable, dir)
		env.Setenv(mirrorVariable, filepath.Join(dir, "mirrors", filepath.Base(env.WorkDir)))
		env.Setenv("KUBECONFIG", kubeconfig)
		template := os.Getenv(templateVariable)
		if kubeconfig == "" {
			env.Setenv("KUBECONFIG", filepath.Join(dir, "kubeconfig"))
			env.Setenv("PATH", filepath.Join(dir, "tools")+string(os.PathListSeparator)+env.Getenv("PATH"))
			template = filepath.Join(env.WorkDir, "pod.yaml")
			writePods(env, dir)
		}
		env.Setenv(engineVariable, "kind: kubernetes, template: "+template)
		env.Setenv("TEMPLATES", filepath.Dir(template))
		env.Setenv(fillVariable, filepath.Join(env.WorkDir, "fill.yaml"))
	}
	alone := on
	if dir == "" {
		alone = nil // its nodes are somebody's
	}
	playEngine(t, "kubernetes", on, alone)
}

// playEngine runs the scripts that every engine runs and its own: first those that leave its nodes alone.
func playEngine(t *testing.T, own string, on, alone func(*testscript.Env)) {
	t.Helper()
	var together, apart []string
	folders := []string{engineScripts, filepath.Join(scriptFolder, own)}
	if long.Set && own == "slurm" {
		folders = append(folders, filepath.Join(longScriptFolder, own))
	}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no scripts in %q: %v", folder, err)
		}
		for _, file := range files {
			if slices.Contains([]string{"engine_node.txt", "engine_taken.txt", "slurm_daemons.txt", "slurm_killed.txt"},
				filepath.Base(file)) {
				apart = append(apart, file)
			} else {
				together = append(together, file)
			}
		}
	}
	play := func(files []string, on func(*testscript.Env)) func(*testing.T) {
		return func(t *testing.T) {
			testscript.Run(t, testscript.Params{Files: files, Condition: condition,
				Setup: func(env *testscript.Env) error {
					on(env)
					env.Defer(func() { endLogin(env.WorkDir) })
					return setUp(env)
				}})
		}
	}
	t.Run("together", play(together, on))
	if alone == nil {
		return
	}
	for _, file := range apart { // one after the other: each takes nodes away from what runs there
		t.Run("alone", play([]string{file}, alone))
	}
}

// writePods writes the templates of pods that are tried on the cluster of .ci/kubernetes.
func writePods(env *testscript.Env, dir string) {
	write := func(name, image, security, more, cpu string) {
		limits := ""
		if name == "small.yaml" {
			limits = ", limits: {memory: 256Mi}"
		}
		text := fmt.Sprintf(`apiVersion: v1
kind: Pod
spec:
  hostNetwork: %[7]t
  terminationGracePeriodSeconds: 5
  securityContext: {runAsUser: 1000, runAsGroup: 1000, runAsNonRoot: true%[1]s}
%[2]s  containers:
  - name: agent
    image: %[3]s
    env: [{name: HOME, value: /home/delegate}]
    resources: {requests: {cpu: %[4]s}%[5]s}
    securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
    volumeMounts:
    - {name: programs, mountPath: /usr/local/bin, readOnly: true}
    - {name: mirrors, mountPath: %[6]s/mirrors, readOnly: true}
    - {name: work, mountPath: /var/tmp, subPath: work}
    - {name: work, mountPath: /tmp, subPath: tmp}
    - {name: work, mountPath: /home/delegate, subPath: home}
  volumes:
  - {name: programs, hostPath: {path: %[6]s/bin}}
  - {name: mirrors, hostPath: {path: %[6]s/mirrors, type: DirectoryOrCreate}}
  - {name: work, emptyDir: {}}
`, security, more, image, cpu, limits, dir,
			name != "users.yaml")
		if err := os.WriteFile(filepath.Join(env.WorkDir, name), []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
	const image = "localhost/delegate:tests"
	write("pod.yaml", image, "", "", "100m")
	write("fill.yaml", image, "", "", "1950m") // of two processors
	write("small.yaml", image, "", "", "100m")
	write("urgent.yaml", image, "", "  priorityClassName: urgent\n  nodeSelector: {kubernetes.io/hostname: $NODE}\n",
		"1950m")
	write("restricted.yaml", image, ", seccompProfile: {type: RuntimeDefault}", "", "100m")
	write("own.yaml", image, ", seccompProfile: {type: Localhost, localhostProfile: profiles/delegate.json}", "",
		"100m")
	write("users.yaml", image, "", "  hostUsers: false\n", "100m")
	write("image.yaml", "localhost/nothing:of-that-name", "", "", "100m")
	write("account.yaml", image, "", "  serviceAccountName: nobody-of-that-name\n", "100m")
	for _, name := range []string{"pod.yaml", "networkpolicy.yaml"} { // as init writes them
		text, err := os.ReadFile(filepath.Join("..", "..", "internal", "setup", "kubernetes", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(env.WorkDir, "written-"+name), text, 0o644)
		}
		if err != nil {
			panic(err)
		}
	}
	write("field.yaml", image, "", "  serviceAcount: default\n", "100m")
}

// testJob is what is noted of a turn's job.
type testJob struct {
	ID     string `json:"id"`
	Folder string `json:"folder"`
}

// cluster is what scripts do to an engine behind delegate's back.
func cluster(args []string) error {
	ctx := context.Background()
	e, err := testEngine("")
	if err != nil {
		return err
	}
	switch args[0] {
	case "note":
		return noteJobs()
	case "again": // what the engine would do that starts a job once more
		j, err := jobOf(args[1])
		if err != nil {
			return err
		}
		return inJob(e, j, []string{"delegate", "__remote", "keep", j.Folder})
	case "clean":
		return nothingLeft(ctx, e, args[1:])
	case "run":
		j, err := jobOf(args[1])
		if err != nil {
			return err
		}
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "FOLDER", j.Folder)
		}
		return inJob(e, j, args[2:])
	case "preempt":
		return preempt(ctx, e, args[1])
	case "evict":
		return evict(args[1])
	case "leave":
		return leave(ctx, e, args[1])
	case "lose":
		j, err := jobOf(args[1])
		if err != nil {
			return err
		}
		said, err := e.Look(ctx, j.ID)
		if err != nil {
			return err
		}
		return node("lose", said.Node)
	case "restore":
		return node("restore", "")
	case "fill":
		return fill(ctx)
	case "free":
		return free(ctx, e)
	case "login":
		return loginNode(args[1])
	case "queue":
		return queue(ctx, e, args[1])
	case "daemon":
		return daemon(ctx, e, args[1:])
	case "policy":
		return applyPolicy(args[1])
	case "delete":
		j, err := jobOf(args[1])
		if err != nil {
			return err
		}
		return e.Cancel(ctx, j.ID)
	}
	return fmt.Errorf("nobody does %q", args[0])
}

// inJob runs a command where a job runs.
func inJob(e engine.Engine, j testJob, args []string) error {
	c := e.Exec(j.ID, args)
	if c.Path == run.Program() { // which is this one, under its other name
		c.Path = "delegate"
	}
	return passed(exec.Command(c.Path, c.Args...))
}

func passed(c *exec.Cmd) error {
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}

// testEngine is the engine of the script, with other options or another template where more names them.
func testEngine(more string) (engine.Engine, error) {
	if os.Getenv(slurmVariable) != "" {
		_, options, _ := strings.Cut(os.Getenv(engineVariable), "[")
		options = strings.TrimSuffix(options, "]") + " " + more
		return engine.Open(config.Engine{Kind: config.Slurm, Options: strings.Fields(options)}), nil
	}
	_, template, found := strings.Cut(os.Getenv(engineVariable), "template: ")
	if !found {
		return nil, errors.New("there is no engine for tests")
	}
	if more != "" {
		template = more
	}
	return engine.Open(config.Engine{Kind: config.Kubernetes, Template: template}), nil
}

func notedJobs() string { return filepath.Join(os.Getenv("WORK"), "jobs.json") }

// noteJobs keeps the jobs of all turns beside the repository, by agent: with a session goes what is noted in it.
func noteJobs() error {
	files, err := filepath.Glob(".git/delegate/sessions/*/AGT-*/turn-*/job.json")
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no job is noted: %w", err)
	}
	all := map[string]testJob{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var j testJob
		if err := json.Unmarshal(data, &j); err != nil {
			return err
		}
		all[filepath.Base(filepath.Dir(filepath.Dir(file)))] = j
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(notedJobs(), data, 0o644)
}

func jobOf(agent string) (testJob, error) {
	var all map[string]testJob
	data, err := os.ReadFile(notedJobs())
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err == nil && all[agent].ID == "" {
		err = fmt.Errorf("no job of %q is noted", agent)
	}
	return all[agent], err
}

// nothingLeft says whether nothing of the jobs is left there, of those of the agents or of all that are noted.
func nothingLeft(ctx context.Context, e engine.Engine, agents []string) error {
	var all map[string]testJob
	data, err := os.ReadFile(notedJobs())
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	for agent, j := range all {
		if j.ID == "" || len(agents) > 0 && !slices.Contains(agents, agent) {
			continue
		}
		said, lookErr := e.Look(ctx, j.ID)
		err = errors.Join(err, lookErr)
		if said.Phase == engine.Waiting || said.Phase == engine.Running {
			err = errors.Join(err, fmt.Errorf("%q is still there: %+v", j.ID, said))
		}
		if _, statErr := os.Stat(j.Folder); !errors.Is(statErr, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("%q is still there", j.Folder))
		}
	}
	return err
}

// node loses a node, or brings all back.
func node(what, name string) error {
	if dir := os.Getenv(kubernetesVariable); dir != "" {
		script, err := ofCluster()
		lost := filepath.Join(os.Getenv("WORK"), "lost")
		if err == nil && what == "lose" {
			err = os.WriteFile(lost, []byte(name), 0o644)
			return errors.Join(err, passed(exec.Command(script, dir, "lose", name)))
		}
		was, readErr := os.ReadFile(lost)
		return errors.Join(err, readErr, passed(exec.Command(script, dir, "back", string(was))))
	}
	if what == "lose" {
		return passed(exec.Command("scontrol", "update", "nodename="+name, "state=down", "reason=test"))
	}
	for _, n := range []string{"n3", "n4"} {
		_ = passed(exec.Command("scontrol", "update", "nodename="+n, "state=resume")) // one of them was lost
	}
	return nil
}

// filled has the jobs that free takes away.
func filled() string { return filepath.Join(os.Getenv("WORK"), "fill") }

// fillers are names that no job has yet, also none that is over and still known.
func fillers() []string {
	name := fmt.Sprintf("delegate-test-fill-%d-", time.Now().UnixNano())
	return []string{name + "1", name + "2"}
}

// fill takes all room of the engine.
func fill(ctx context.Context) error {
	e, err := testEngine(os.Getenv(fillVariable))
	if err != nil {
		return err
	}
	names := fillers()
	if os.Getenv(slurmVariable) != "" {
		names = names[:1]
	}
	var ids []string
	for _, name := range names {
		id, err := e.Submit(ctx, name, []string{"sleep", "600"})
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	for _, id := range ids {
		for deadline := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
			said, err := e.Look(ctx, id)
			if err == nil && said.Phase == engine.Running {
				break
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("what fills it does not run: %+v, %w", said, err)
			}
		}
	}
	return os.WriteFile(filled(), []byte(strings.Join(ids, " ")), 0o644)
}

func free(ctx context.Context, e engine.Engine) error {
	ids, err := os.ReadFile(filled())
	for id := range strings.FieldsSeq(string(ids)) {
		err = errors.Join(err, e.Cancel(ctx, id))
	}
	return err
}

// forgeEnd is the program there in the hand of somebody else: it forges the end of a turn, by the name of its folder.
func forgeEnd(args []string) error {
	if len(args) < 3 || args[1] != "stream" {
		c := exec.Command("delegate", args...)
		c.Stdin = os.Stdin
		return passed(c)
	}
	dir := args[2]
	git := func(in []byte, args ...string) string {
		c := exec.Command("git", append([]string{"-C", filepath.Join(dir, "repo"), "-c", "user.name=x", "-c",
			"user.email=x@example.com"}, args...)...)
		c.Stdin, c.Stderr = bytes.NewReader(in), os.Stderr
		out, err := c.Output()
		if err != nil {
			panic(err)
		}
		return strings.TrimSpace(string(out))
	}
	// after the true end, which would put its own head in place of the forged one
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "end.json")); err == nil {
			break
		}
	}
	large := make([]byte, 40<<20)
	_, _ = rand.Read(large) // it never fails
	head, tree := "..%2f", ""
	base := git(nil, "rev-parse", "refs/delegate/base")
	blob := git([]byte("forged"), "hash-object", "-w", "--stdin")
	switch filepath.Base(filepath.Dir(dir)) {
	case "oversized":
		tree = git([]byte("100644 blob "+git(large, "hash-object", "-w", "--stdin")+"\tlarge\n"), "mktree")
	case "bloated": // which is little as long as it is packed
		blob = git(make([]byte, 3<<20), "hash-object", "-w", "--stdin")
		tree = git([]byte("100644 blob "+blob+"\tlarge\n"), "mktree")
	case "forged":
		list := git(nil, "ls-tree", base) + "\n100644 blob " + blob + "\tforged\n"
		tree = git([]byte(list), "mktree")
	case "unsound": // a folder that no git makes
		inner := git([]byte("100644 blob "+blob+"\tconfig\n"), "mktree")
		id, err := hex.DecodeString(inner)
		if err != nil {
			return err
		}
		tree = git(append([]byte("40000 .git\x00"), id...), "hash-object", "-t", "tree", "-w", "--literally", "--stdin")
	}
	if tree != "" {
		head = git(nil, "commit-tree", "-m", "forged", "-p", base, tree)
		git(nil, "update-ref", "refs/delegate/head", head)
	}
	end := fmt.Sprintf(`{"exit":{"exit_code":0},"head":%q}`, head)
	fmt.Printf("{\"kind\":\"end\",\"size\":%d}\n%s", len(end), end)
	time.Sleep(3 * time.Second)
	return nil
}
