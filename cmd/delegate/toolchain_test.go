//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/sys/long"
)

// toolchain is what a person builds with, and a script that does with it what a project does, in an empty folder. It
// ends with "works".
type toolchain struct{ name, present, script string }

func toolchains() []toolchain {
	return []toolchain{
		{"git", "git --version", `echo x > f && git add f && git commit -qm One -- f && git switch -q -c delegate/aside &&
git commit -q --allow-empty -m Two && git switch -q - && git merge -q --no-ff --no-edit delegate/aside &&
git log --oneline | head -n 1 | grep -q Merge && git -C ../.. stash list && git rebase -q HEAD~1 &&
git init -q own && git -C own commit -q --allow-empty -m Own`},
		{"go", "go version", `printf 'module m\n\ngo 1.21\n' > go.mod &&
printf 'package main

import ("os"; "os/exec"; "testing")

func TestM(t *testing.T) {
	t.Parallel()
	if err := exec.Command("true").Run(); err != nil { t.Fatal(err) }
	if err := os.WriteFile(t.TempDir()+"/f", nil, 0o600); err != nil { t.Fatal(err) }
}\n' > m_test.go && gofmt -l . > /dev/null && printf 'package main\n\nfunc main() { println("ran") }\n' > main.go && go run . &&
{ [ -z "$GOCACHE" ] || { go vet ./... && go test -count=1 ./...; }; }`},
		{"node", "node --version", `cat > a.js <<'JS'
const {Worker, isMainThread, parentPort} = require('worker_threads'), net = require('net')
if (!isMainThread) { parentPort.postMessage('thread') } else {
  require('fs').watch('.')
  require('child_process').execSync('true')
  const s = net.createServer(c => c.end()).listen(0, '127.0.0.1', () =>
    net.connect(s.address().port, '127.0.0.1').on('close', () =>
      new Worker(__filename).on('message', () => process.exit(0))).resume())
}
JS
node a.js && node --test > /dev/null`},
		{"npm", "npm --version", `mkdir -p dep && echo '{"name":"dep","version":"1.0.0","bin":"run.js"}' > dep/package.json &&
printf '#!/usr/bin/env node\nconsole.log("ran")\n' > dep/run.js && chmod +x dep/run.js && npm init -y > /dev/null &&
npm pkg set scripts.test=dep && npm install --offline --no-audit --no-fund ./dep > /dev/null && npm test | grep -q ran &&
npm pack > /dev/null`},
		{"python3", "python3 --version", `cat > test_a.py <<'PY'
import asyncio, multiprocessing, sqlite3, subprocess, tempfile, unittest
def double(n): return 2 * n
class A(unittest.TestCase):
    def test(self):
        with multiprocessing.Pool(2) as pool:
            self.assertEqual(pool.map(double, [1, 2]), [2, 4])
        with tempfile.TemporaryDirectory() as d:
            sqlite3.connect(d + '/db').execute('create table t (a)')
        async def run():
            return await (await asyncio.create_subprocess_exec('true')).wait()
        self.assertEqual(asyncio.run(run()), 0)
PY
python3 -m unittest -q test_a 2>&1 && python3 -m venv --without-pip env && env/bin/python -c 'import sys'`},
		{"cargo", "cargo --version", `cargo init -q --vcs none --lib --name made . && cargo test -q --offline && cargo build -q --release --offline`},
		{"gcc", "gcc --version", `cat > a.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>
static void *run(void *x) { return x; }
int main(void) {
	pthread_t t; int s;
	if (pthread_create(&t, 0, run, 0) || pthread_join(t, 0)) return 1;
	if (fork() == 0) _exit(0);
	return wait(&s) < 0 || s;
}
C
gcc -g -fsanitize=undefined -pthread -o a a.c && ./a && gcc -O2 -pthread -o b a.c && ./b && ar rc liba.a a.c && ar t liba.a > /dev/null`},
		{"make", "make --version", `printf 'all: a b c\n%%: ; @echo $@ > $@\n' > Makefile && make -s -j 3 && cat a b c > /dev/null`},
		{"java", "javac -version", `cat > A.java <<'J'
public class A {
  public static void main(String[] a) throws Exception {
    Thread t = new Thread(() -> {});
    t.start();
    t.join();
    java.nio.file.Files.delete(java.nio.file.Files.createTempFile(
        java.nio.file.Path.of(System.getenv("TMPDIR")), "a", "b"));
    new ProcessBuilder("true").start().waitFor();
  }
}
J
javac A.java && java A && jar cf a.jar A.class && java -cp a.jar A`},
		{"perl", "perl -v", `cat > a.pl <<'PL'
use strict; use warnings; use File::Temp; use IO::Socket::INET; use Test::More tests => 2;
my $f = File::Temp->new; print $f "x"; ok(-e "$f");
my $pid = fork; exit 0 unless $pid; waitpid $pid, 0; is($?, 0);
PL
perl a.pl`},
	}
}

// TestToolchains holds that what people build with works in the sandbox as it does outside of it, where files are read
// by a list and there is no network.
func TestToolchains(t *testing.T) {
	unraced(t)
	for name, uid := range persons() {
		t.Run(name, func(t *testing.T) {
			o := worldOptions{uid: uid, settings: "sandbox: {read: list, network: none}\n", path: os.Getenv("PATH")}
			if uid == os.Getuid() {
				o.env = homes()
			}
			w := newWorld(t, o)
			for _, c := range toolchains() {
				t.Run(c.name, func(t *testing.T) {
					long.Except(t, c.name, "git")
					if out, code := w.run(w.root, strings.Fields(c.present)...); code != 0 {
						t.Skipf("it is not installed for this user: %s", out)
					}
					folder := filepath.Join("src", c.name)
					script := "mkdir " + folder + " && cd " + folder + " && " + c.script + " && echo works"
					const compiling = 5 * patience // a standard library, on a busy machine
					out, code := w.runWithin(compiling, w.main(), "delegate", "sandbox", "try", attackedAgent, "--",
						"sh", "-c", script)
					if code != 0 || !strings.HasSuffix(out, "works\n") {
						t.Errorf("it ended with %d\n%s", code, out)
					}
				})
			}
		})
	}
}

// homes lets the person of a test use what is installed for who runs it.
func homes() (env []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	// the standard library is there: to compile it anew takes minutes
	for name, folder := range map[string]string{"RUSTUP_HOME": ".rustup", "CARGO_HOME": ".cargo",
		"PYENV_ROOT": ".pyenv", "GOCACHE": ".cache/go-build"} {
		if at := filepath.Join(home, folder); isFolder(at) {
			env = append(env, name+"="+at)
		}
	}
	return env
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
