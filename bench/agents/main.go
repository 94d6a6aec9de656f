// Command agents runs the real agent programs against a scripted model on the loopback device and records what they print.
//
// They are looked for in $AGENTS_BIN, else where "make agents" puts them.
// Each runs headless, without a key, in a fresh git worktree and with a home folder of its own; the model's scripts are in scenarios.
// Machine paths, ports and ids are replaced in the recordings, so that two of one program can be compared.
package main

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
	"strings"
	"sync"

	"delegate/internal/run"
	"delegate/internal/scripted"
)

//go:embed scenarios
var scenarios embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := record(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "agents:", err)
		os.Exit(1)
	}
}

// recorder is one run of this command.
type recorder struct {
	folder  string // where recordings go
	bin     string // where the programs are
	address string // of the model, host:port
	stalls  *watch
}

func record(ctx context.Context) error {
	folder := flag.String("record", "", "folder for the recordings, `DIR`/PROGRAM-CASE.jsonl")
	only := flag.String("only", "", "record names that begin with `PREFIX`, such as claude or codex-stall")
	log := flag.String("log", "", "append what the model is asked to `FILE`")
	flag.Parse()
	if *folder == "" {
		return errors.New("say where to: -record DIR")
	}
	bin, err := programs()
	if err != nil {
		return err
	}
	requests, err := logFile(*log)
	if err != nil {
		return err
	}
	defer requests.Close()
	stalls := &watch{log: requests}
	address, err := serve(stalls)
	if err != nil {
		return err
	}
	if err := run.AdoptOrphans(); err != nil {
		return err
	}
	r := recorder{folder: *folder, bin: bin, address: address, stalls: stalls}
	return r.all(ctx, *only)
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

// serve starts the model for as long as this process lives.
func serve(requests io.Writer) (address string, err error) {
	scripts, err := fs.Sub(scenarios, "scenarios")
	if err != nil {
		return "", err
	}
	model, err := scripted.New(scripted.Options{Scenarios: scripts, Log: requests})
	if err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() {
		fmt.Fprintln(os.Stderr, "agents: the model ended:", http.Serve(listener, model))
	}()
	return listener.Addr().String(), nil
}

// all records every program that is installed in every case whose name begins with only.
func (r recorder) all(ctx context.Context, only string) error {
	if err := os.MkdirAll(r.folder, 0o755); err != nil {
		return err
	}
	for _, p := range agents() {
		if _, err := run.Which(filepath.Join(r.bin, p.name), "", ""); err != nil {
			fmt.Fprintln(os.Stderr, "agents:", err)
			continue
		}
		for _, c := range cases() {
			if name := p.name + "-" + c.name; !strings.HasPrefix(name, only) {
				continue
			}
			if err := r.one(ctx, p, c); err != nil {
				return fmt.Errorf("record %s-%s: %w", p.name, c.name, err)
			}
		}
	}
	return nil
}
