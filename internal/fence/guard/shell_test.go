package guard

import (
	"errors"
	"strings"
	"testing"
)

func TestShell(t *testing.T) {
	for rule, texts := range map[string][]string{
		"": {
			"", "git status", "git add src && git commit -qm 'Add mine'; echo status $?", "git stash push",
			"git fetch --all", "git log --grep=push",
			"git commit -m 'git push'", `git commit -m "Tell claude; git push"`, "echo git push",
			`echo "git push; claude"`, "echo 'x' \"git push\" && ls", "# git push", "ls # ; git push",
			"grep -rn claude .", "xargs grep claude", "command -v claude", "which codex", "man git push",
			"cat docs/claude", "ls claude/ codex",
			"git worktree list", "git worktree remove x", "git remote -v", "git remote get-url origin",
			"git config user.name Ada", "git config --global alias.co checkout", "git config --get core.hooksPath",
			"git config alias.co", "git config get alias.co", "git config --list", "git config user.name alias.x",
			"delegate status", "delegate --json show AGT-001", "/usr/bin/delegate wait", "delegate logs AGT-001 | tail",
			"cat > notes.md <<'EOF'\nDon't git push; don't run claude.\nEOF\nls",
			"cat <<-END | sort\n\tit's\n\tEND\necho \"ok\"", "cat <<A <<B\ngit's\nA\ngit push\nB\n",
			"case $x in claude) echo a;; (codex|git) echo b;; amp | qwen) ;; esac; ls",
			"y=$(case $x in\n a) echo b;;\n codex) ;;\nesac)", "for claude in a b; do echo $claude; done",
			"x=(claude codex 'git push')", "[[ $x =~ (claude|codex) && -f y ]] && echo y",
			"echo $((1 << 2))", "((i++)); echo $(( (1+2)*3 ))", "echo ${x#\"'\"} ${y:-'}'} \"${z:-don}\"",
			`echo $'it\'s'`, `echo "a $' b"`, `echo "a \" b" \" c`, "echo a\\\nb", "cat <<< claude",
			"ls @(claude|codex)", "echo \"$(\n# claude\n)\"",
			"sudo -u claude ls", "timeout --signal KILL 5 ls", "bash script.sh claude", "bash -lc 'go test ./...'",
			"xargs -I{} cp {} claude", "ls 2>&1 >claude", "ls &>claude", "awk '{print $1}' <claude",
			"f() { echo; }; f", "env", "sudo", "nohup", "timeout 5", "sh -c", "env -u"},
		"git push": {
			"git push", "git push origin HEAD:main", "git -C .. push", "git -c a.b=c --no-pager push",
			"git --git-dir=x push", "/usr/bin/git push", "cd x && git push", "ls; git push", "false || git push",
			"ls | git push",
			"ls\ngit push", "ls & git push", "(git push)", "{ git push; }", "if true; then git push; fi",
			"while git push; do :; done", "! git push", "for x in a; do git push; done", "case x in a) git push;; esac",
			"case x in a) ls;; esac; git push", "case x in a) (git push);; b) ls; esac",
			"if a; then case x in a) b;; *) c | git push; esac; fi", "(case x in (a) b;; esac; git push)",
			"f() { git push; }", "echo $(git push)", "echo \"$(git push)\"", "echo `git push`", "echo \"`git push`\"",
			"cat <(git push)", "x=$(git push)", "X=1 Y=2 git push", "echo ${x:-$(git push)}",
			`"git" push`, "gi't' 'push'", "git \\\n push", `git pu\sh`, "2>&1 git push", ">log git push",
			"git push 2>/dev/null", "git >log push",
			"sudo git push", "sudo -u ada -E X=1 git push", "sudo -uada -- git push", "sudo -uada git push",
			"stdbuf -oL git push", "env X=Y git push", "env -i -u Z X=Y git push", "env -S 'git push'",
			"nohup git push &", "timeout 5 git push", "timeout -k 1 -s KILL 5s git push",
			"timeout --signal=KILL 5 git push",
			"nice -n 5 git push", "nice git push", "setsid git push", "time git push", "time -p git push",
			"time { git push; }", "coproc git push", "((x = 1 << 2))\ngit push", "x=$((1 << 2))\ngit push",
			`$"git" push`, "cat <<-X\n\tit's\n\tX\ngit push", "cat <<X\r\nit's\r\nX\r\ngit push\r\n", "exec git push",
			"command git push", "xargs git push", "xargs -n 1 git push", "sudo env X=1 nohup timeout 5 git push",
			"sh -c 'git push'", "bash -lc \"git push\"", "bash -e -o pipefail -c 'ls; git push'",
			"bash -euo pipefail -c 'git push'", "sudo sh -c 'sh -c \"git push\"'", "eval git push", "eval 'git push'",
			"bash <<'EOF'\ngit push\nEOF", "sh -s - <<EOF\ngit push\nEOF\n",
			"cat <<EOF\nit's\nEOF\ngit push", "echo '$(' ; git push", "((x)); git push", "( (ls); git push)",
			"[[ -f x ]] && git push", "a=(b c); git push", "cat <<EOF\n$(git push)\nEOF",
			"bash <<< 'git push'", "sh <<EOF\necho \\$(git push)\nEOF", "f() if git push; then :; fi",
			"select x in a; do git push; done", "[[ -n $(git push) ]]", "export X=$(git push)", "a[$(git push)]=1",
			"echo $((1 + $(git push)))", `bash -c $'git\tpush'`, "coproc X { git push; }"},
		"git send-pack":      {"git send-pack x y"},
		"git worktree add":   {"git worktree add ../x", "git -C x worktree add -b y ../x"},
		"git remote add":     {"git remote add o url", "git remote -v add o url"},
		"git remote set-url": {"git remote set-url origin x"},
		"git config core.hooksPath": {"git config core.hooksPath x", "git config --local core.hooksPath x",
			"git config set core.hooksPath x", "git config --unset core.hooksPath",
			"git config -f .git/config core.hooksPath x"},
		"git config alias.p": {"git config alias.p push", "git config --add alias.p push",
			"git config --type path alias.p x"},
		"git config Filter.x.clean": {"git config Filter.x.clean cat"},
		"git config credential": {"git config --remove-section credential",
			"git config rename-section credential x"},
		"git config hook.x.command": {"git config hook.x.command ls"},
		"claude": {"claude -p hi", "npx claude", "echo hi | claude", "~/bin/claude",
			"env X=1 ./node_modules/.bin/claude -p hi"},
		"codex": {"npx -y @openai/codex@latest exec hi", "codex.exe exec", "npx -c 'codex exec'",
			"npx -p @openai/codex codex"},
		"gemini": {"gemini"}, "opencode": {"opencode run x"}, "qwen": {"qwen x"}, "aider": {"aider"},
		"amp": {"amp -x y"}, "cursor-agent": {"cursor-agent"}, "copilot": {"copilot -p x"},
		"delegate approve": {"delegate approve", "delegate --yes approve"}, "delegate": {"delegate --version"},
		"delegate sync": {"delegate status; delegate sync merge"},
	} {
		for _, text := range texts {
			v, err := decideShell(text)
			if err != nil || v.Allowed != (rule == "") || v.Pattern != rule || !strings.HasPrefix(v.Reason, rule) {
				t.Errorf("%q is %+v, %v; want rule %q", text, v, err, rule)
			}
		}
	}
}

func TestOpenText(t *testing.T) {
	for _, text := range []string{
		"echo 'a", `echo "a`, "echo `a", "echo $(a", "(a", "a)", "echo ${a", "echo $'a", "x=(a", "[[ a",
		`echo "$(echo "a)"`, "sh -c \"echo 'a\"", "eval \"'\"", "<(", "echo \"`a\"",
		strings.Repeat("$(", 1000), strings.Repeat("( ", 1000) + strings.Repeat(") ", 1000),
		strings.Repeat("eval ", 3) + "'\"'",
		// The shell may read these; the parser asks for a blank between the brackets, an end of the
		// document, and another kind of quotes.
		"((ls); git push)", "cat <<EOF", `echo "${z:-don't}"`,
	} {
		if v, err := decideShell(text); !errors.Is(err, errOpen) {
			t.Errorf("%.40q is %+v, %v", text, v, err)
		}
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"a  b\tc":                          "a,b,c",
		"a 'b c' \"d e\" f\\ g":            "a,b c,d e,f g",
		"a ''":                             "a,",
		`a "b\"c\$d\e"`:                    `a,b"c$d\e`,
		"a;b&&c||d|e&f\ng":                 "a;b;c;d;e;f;g",
		"a $(b `c` d) e":                   "a,$,e;b,$,d;c",
		"if a; then b; else c; fi":         "a;b;c",
		"a >x 2>>y <z 3<>w &>v >&2 b":      "a,b",
		"a <<X b\nc d\nX\ne":               "a,b;e",
		"x=1 a":                            "a",
		"a $x ${y} \"$z\" $((1+2)) $'\\n'": "a,$x,$,$z,$,\n",
	} {
		commands, err := newBudget().split(text)
		var got []string
		for _, c := range commands {
			got = append(got, strings.Join(c.words, ","))
		}
		if argv := strings.Join(got, ";"); err != nil || argv != want {
			t.Errorf("%q is %q, %v; want %q", text, argv, err, want)
		}
	}
}

// hardTexts are parts that make a text hard for its length, each with what is said of a text of nothing else.
func hardTexts() map[string]error {
	return map[string]error{
		"a;": nil, "a ": nil, "if ": errOpen, "( ": errOpen, "{ ": errOpen, "a|": errOpen, "a&&": errOpen,
		"! ":    errOpen,
		"time ": errOpen, "$((": errOpen, "((": errOpen, "${a:-": errOpen, "<(": errOpen, "a[": errOpen, "[[ ": errOpen,
		"f()":    errOpen,
		"until ": errOpen, "sudo ": nil, "((a) ": errOpen, "x <<X\nX\n": nil, "<<X\n": errOpen,
		"case x in a) b;; ": errOpen, "a=(": errOpen, "$((a)": errOpen, "`\\`": errOpen, "\"$(\"": errOpen,
		"eval ": errTangled, "env -S ": errTangled, "sh -c 'a' ": nil, "eval 'a'; ": nil,
		`$(( "((((((((" ) ) `: errOpen, "`eval a` ": nil,
	}
}

// longText is as long as a text may be.
func longText(part string) string { return strings.Repeat(part, maxText/len(part)) }

// TestLongText holds that no text makes a decision read much more than its bound: a hook that is
// too slow is one that programs go on without.
func TestLongText(t *testing.T) {
	for part, want := range hardTexts() {
		r := newBudget()
		v, err := r.decide(longText(part), 0)
		if !errors.Is(err, want) || v.Allowed != (want == nil) {
			t.Errorf("%q, again and again, is %+v, %v; want %v", part, v, err, want)
		}
		if read := maxRead - r.left; read < maxText-len(part) || read > maxRead+maxText {
			t.Errorf("%q, again and again, has %d bytes read", part, read)
		}
	}
	if v, err := decideShell(strings.Repeat("a", maxText+1)); !errors.Is(err, errLong) || v.Allowed {
		t.Errorf("%+v, %v", v, err)
	}
	deep := strings.Repeat("eval ", 40) + "git " + strings.Repeat("-C x ", 1000) + "push"
	if v, err := decideShell(deep); err != nil || v.Pattern != "git push" {
		t.Errorf("forty shells of %d bytes: %+v, %v", len(deep), v, err)
	}
}
