//go:build bench && !windows

package agents_test

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	scripted "delegate/bench/agents"
	"delegate/internal/sys/run"
)

//go:embed scenarios
var scenarios embed.FS

// given is what the command line asks for.
var given options

// TestMain works in the module's root, which all paths are from. It lets this test binary be the person's servers.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == serverVerb {
		if err := serveTools(os.Args[2]); err != nil {
			panic(err)
		}
		return
	}
	list := func(to *[]string) func(string) error {
		return func(names string) error { *to = words(names); return nil }
	}
	flag.BoolVar(&given.run, "run", false, "run the programs through delegate")
	flag.StringVar(&given.record, "record", "", "record them by themselves into `DIR`/PROGRAM-CASE.jsonl")
	flag.Func("only", "these `PROGRAMS` alone, with commas between", list(&given.chosen.programs))
	flag.Func("scenario", "these `SCENARIOS` alone, with commas between", list(&given.chosen.scenarios))
	flag.BoolVar(&given.keep, "keep", false, "keep every case's folder")
	flag.StringVar(&given.log, "log", "", "append what the model is asked to `FILE`")
	flag.Parse()
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestPrograms(t *testing.T) {
	if !given.run && given.record == "" {
		t.Skip("measures for minutes; give it -args -run, or -args -record DIR")
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := work(ctx, given); err != nil {
		t.Fatal(err)
	}
}

type options struct {
	run, keep   bool
	record, log string
	chosen      selection
}

// selection is what was asked for; an empty list means everything.
type selection struct{ programs, scenarios []string }

func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

func (s selection) has(program, scenario string) bool {
	chosen := func(list []string, name string) bool { return len(list) == 0 || slices.Contains(list, name) }
	return chosen(s.programs, program) && chosen(s.scenarios, scenario)
}

func work(ctx context.Context, o options) error {
	bin, err := programs()
	if err != nil {
		return err
	}
	requests, err := logFile(o.log)
	if err != nil {
		return err
	}
	defer requests.Close()
	if o.run {
		return runAll(ctx, o, bench{bin: bin, keep: o.keep, model: &journal{log: requests}})
	}
	return record(ctx, o, recorder{folder: o.record, bin: bin, stalls: &watch{log: requests}})
}

// recorder is one run of this command that records.
type recorder struct {
	folder  string // where recordings go
	bin     string // where the programs are
	address string // of the model, host:port
	stalls  *watch
}

func record(ctx context.Context, o options, r recorder) error {
	model, err := serve(r.stalls)
	if err != nil {
		return err
	}
	defer model.Close()
	r.address = model.Addr
	if err := run.AdoptOrphans(); err != nil {
		return err
	}
	return r.all(ctx, o.chosen)
}

// programs is the folder of the installed programs.
func programs() (string, error) {
	bin := os.Getenv("AGENTS_BIN")
	if bin == "" {
		bin = filepath.Join(".agents", "node_modules", ".bin")
	}
	bin, err := filepath.Abs(bin)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(bin); err != nil {
		return "", fmt.Errorf("find agent programs (make agents installs them): %w", err)
	}
	return bin, nil
}

func logFile(name string) (io.WriteCloser, error) {
	if name == "" {
		name = os.DevNull
	}
	return os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

// watch passes the model's log on and tells when the model stalls.
type watch struct {
	log io.Writer

	mu   sync.Mutex // guards then
	then func()
}

// stalled sets what happens at the next stall; nil for nothing.
func (w *watch) stalled(then func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.then = then
}

func (w *watch) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.then != nil && bytes.Contains(line, []byte(`"answer":"stall"`)) {
		w.then()
		w.then = nil
	}
	return w.log.Write(line)
}

// serve starts the model at an address of its own.
func serve(requests io.Writer) (*http.Server, error) {
	scripts, err := fs.Sub(scenarios, "scenarios")
	if err != nil {
		return nil, err
	}
	model, err := scripted.New(scripted.Options{Scenarios: scripts, Log: requests})
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Addr: listener.Addr().String(), Handler: model}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(os.Stderr, "agents: the model ended:", err)
		}
	}()
	return server, nil
}

// all records every program that is chosen and installed in every case that is chosen.
func (r recorder) all(ctx context.Context, chosen selection) error {
	if err := os.MkdirAll(r.folder, 0o755); err != nil {
		return err
	}
	for _, p := range agents() {
		for _, c := range cases() {
			if !chosen.has(p.name, c.name) || !installed(r.bin, p) {
				continue
			}
			if err := r.one(ctx, p, c); err != nil {
				return fmt.Errorf("record %s-%s: %w", p.name, c.name, err)
			}
		}
	}
	return nil
}

// installed says where a program is missing.
func installed(bin string, p program) bool {
	if _, err := run.Which(filepath.Join(bin, p.name), "", ""); err != nil {
		fmt.Fprintln(os.Stderr, "agents:", err)
		return false
	}
	return true
}
