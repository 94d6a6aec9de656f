//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const attackFolder = "../../testdata/attacks"

// attack is one script of the folder: what it tries, and what its header says will come of it.
type attack struct {
	name      string
	title     string
	class     string
	prevented string // the layer that stops it when all are on, nothing if none does
	detected  string // what finds it, separated by commas
	logged    bool   // a VIOLATION row tells of it

	needs    string        // without this it is skipped
	where    string        // "turn": it prints for the supervisor, who listens in a turn only
	own      bool          // it spoils the turn it is tried in, or what others need
	times    int           // how often it is run, with the number as its argument
	pause    time.Duration // until its effect would show
	terminal bool          // a person runs it on a terminal
	trace    string        // what the row or the gate says of it
	gets     string        // what it gets where nothing stops or finds it
}

// attackWords are the values that a header may have.
func attackWords() map[string][]string {
	return map[string][]string{
		"class":     {"writes", "git", "remotes", "processes", "records", "terminals"},
		"prevented": {"kernel", "git", "environment", "hook", "delegate", "-"},
		"detected":  {"gate", "watch", "spool", "supervisor", "-"},
		"logged":    {"yes", "no"},
		"needs":     {"root", "user", "tmux", "daemon", "fence", "pids", "node"},
		"where":     {"turn"},
		"turn":      {"own"},
		"terminal":  {"yes"},
	}
}

// readAttacks is the whole suite, in order.
func readAttacks(t *testing.T) []attack {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(attackFolder, "*.sh"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no attacks in %q: %v", attackFolder, err)
	}
	all := make([]attack, 0, len(files))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a, err := parseAttack(strings.TrimSuffix(filepath.Base(file), ".sh"), string(data))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, a)
	}
	return all
}

func parseAttack(name, text string) (attack, error) {
	const most = 25
	a := attack{name: name, times: 1, trace: "attack-" + name}
	header := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(text))
	count := 0
	for lines.Scan() {
		count++
		if words, isComment := strings.CutPrefix(lines.Text(), "# "); isComment {
			key, value, found := strings.Cut(words, ": ")
			if !found || !known(key, value) {
				return a, fmt.Errorf("header %q is not known", words)
			}
			header[key] = value
		}
	}
	if count > most {
		return a, fmt.Errorf("%d lines, at most %d", count, most)
	}
	a.title, a.class, a.prevented, a.detected, a.logged = header["title"], header["class"], header["prevented"],
		header["detected"], header["logged"] == "yes"
	a.needs, a.where, a.own, a.terminal, a.gets = header["needs"], header["where"], header["turn"] == "own",
		header["terminal"] == "yes", header["gets"]
	if header["trace"] != "" {
		a.trace = header["trace"]
	}
	if header["times"] != "" {
		if _, err := fmt.Sscanf(header["times"], "%d", &a.times); err != nil {
			return a, err
		}
	}
	if header["pause"] != "" {
		var seconds float64
		if _, err := fmt.Sscanf(header["pause"], "%g", &seconds); err != nil {
			return a, err
		}
		a.pause = time.Duration(seconds * float64(time.Second))
	}
	return a, a.check(header)
}

// known says whether a header may have a value: one of its words, or several separated by commas.
func known(key, value string) bool {
	allowed, limited := attackWords()[key]
	for word := range strings.SplitSeq(value, ", ") {
		if limited && !slices.Contains(allowed, word) {
			return false
		}
	}
	return true
}

// by says whether a layer is among those that find it.
func (a attack) by(layer string) bool { return slices.Contains(strings.Split(a.detected, ", "), layer) }

// check finds headers that say too little.
func (a attack) check(header map[string]string) error {
	for _, key := range []string{"title", "class", "prevented", "detected", "logged"} {
		if header[key] == "" {
			return fmt.Errorf("no %q in its header", key)
		}
	}
	switch {
	case a.prevented == "-" && a.detected == "-" && a.gets == "":
		return errors.New("nothing stops or finds it, and it does not say what it gets")
	case a.logged && a.detected == "-":
		return errors.New("it is logged, and nothing finds it")
	}
	return nil
}

func TestAttackHeaders(t *testing.T) {
	all := readAttacks(t)
	if len(all) < 70 {
		t.Errorf("%d attacks, want at least 70", len(all))
	}
	for _, bad := range []string{
		"# title: x\n# class: git\n# prevented: kernel\n# detected: -\n",
		"# title: x\n# class: git\n# prevented: -\n# detected: -\n# logged: no\n",
		"# title: x\n# class: git\n# prevented: kernel\n# detected: -\n# logged: yes\n",
		"# title: x\n# class: gut\n# prevented: kernel\n# detected: -\n# logged: no\n",
		"# title: x\n# class: git\n# prevented: kernel\n# detected: -\n# logged: no\n" + strings.Repeat("\n", 30),
	} {
		if a, err := parseAttack("000-bad", bad); err == nil {
			t.Errorf("%q is read as %+v", bad, a)
		}
	}
}

// The markers between which docs/attacks.md has the table of the suite.
const (
	tableBegin = "<!-- attacks:begin -->"
	tableEnd   = "<!-- attacks:end -->"
)

// attackTable is the suite as people read it: how many attempts each class has and what prevents them, then what an
// attempt gets. The headers say it, TestAttacks and TestAttacksFromAgent hold them to what happens.
func attackTable(all []attack) string {
	var text, got strings.Builder
	var classes []string
	count := map[string]map[string]int{}
	for _, a := range all {
		if count[a.class] == nil {
			classes, count[a.class] = append(classes, a.class), map[string]int{}
		}
		count[a.class][a.prevented]++
		if a.gets != "" {
			title := strings.ReplaceAll(a.title, "|", `\|`)
			fmt.Fprintf(&got, "| %s: %s | %s | %s |\n", a.name[:3], title, a.detected, a.gets)
		}
	}
	text.WriteString("| class | attempts | kernel | environment | git's hooks | delegate | not prevented |\n" +
		"|---|---|---|---|---|---|---|\n")
	for _, class := range classes {
		of := count[class]
		attempts := 0
		for _, n := range of {
			attempts += n
		}
		fmt.Fprintf(&text, "| %s | %d | %d | %d | %d | %d | %d |\n", class, attempts, of["kernel"], of["environment"],
			of["git"]+of["hook"], of["delegate"], of["-"])
	}
	fmt.Fprintf(&text, "\n| attempt | detected by | what it gets |\n|---|---|---|\n%s", got.String())
	return text.String()
}

// TestAttackTable holds the table of docs/attacks.md against the headers; with ATTACKS_TABLE=path
// it writes it there, between the markers.
func TestAttackTable(t *testing.T) {
	path, writing := os.LookupEnv("ATTACKS_TABLE")
	if !writing {
		path = "../../docs/attacks.md"
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && writing {
		data, err = []byte(tableBegin+"\n"+tableEnd+"\n"), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(data), tableBegin+"\n")
	found, after, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		t.Fatalf("%s has no %s … %s", path, tableBegin, tableEnd)
	}
	want := attackTable(readAttacks(t)) + "\n"
	switch {
	case found == want:
	case writing:
		if err := os.WriteFile(path, []byte(before+tableBegin+"\n"+want+tableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table in %s is not that of the scripts; write it with: ATTACKS_TABLE=$PWD/docs/attacks.md go "+
			"test -run TestAttackTable ./cmd/delegate", path)
	}
}
