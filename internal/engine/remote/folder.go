package remote

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/sys/atomicfile"
	"delegate/internal/turn/keeper"
)

// folder is a turn's folder there. Its processes tell each other in its files.
type folder string

func (f folder) file(name string) string { return filepath.Join(string(f), name) }

// The files of a turn's folder there.
const (
	identityFile = "identity.json"
	requestFile  = "request.json"
	turnFile     = "turn.json"
	endFile      = "end.json"
	againFile    = "again"  // the engine started the job once more
	ackFile      = "ack"    // the work came home
	askFile      = "ask-"   // and what is asked of the turn's keeper there
	repoFolder   = "repo"   // the repository, of which nothing is checked out
	workFolder   = "agents" // the agent's worktree and folders
)

// baseRef is the reference there of the commit that the turn starts from, headRef of the one that it came to.
const (
	baseRef = "refs/delegate/base"
	headRef = "refs/delegate/head"
)

// running is which turn it is there.
type running struct {
	Turn     string `json:"turn"`
	AgentDir string `json:"agent_dir"`
}

// claim makes the folder. That it is there already means that the engine started the job once more.
func (f folder) claim() error {
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return fmt.Errorf("make folder of turns: %w", err)
	}
	err := os.Mkdir(string(f), 0o700)
	if errors.Is(err, fs.ErrExist) {
		return errors.Join(fmt.Errorf("the turn of %q was started before, and is not started twice", f),
			os.WriteFile(f.file(againFile), nil, 0o600))
	}
	return err
}

// has says whether a file is there.
func (f folder) has(name string) bool {
	_, err := os.Stat(f.file(name))
	return err == nil
}

// asked says whether something is asked of the turn's keeper, and takes that away.
func (f folder) asked(what string) bool { return os.Remove(f.file(askFile+what)) == nil }

// turn is the turn there; false before it is prepared.
func (f folder) turn() (keeper.Turn, running, bool) {
	var r running
	err := atomicfile.ReadJSON(f.file(turnFile), &r)
	return keeper.Turn{Dir: r.Turn}, r, err == nil
}

// await waits for a file; false when patience is over or stop says so.
func (f folder) await(name string, patience time.Duration, stop func() bool) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(tick) {
		if f.has(name) {
			return true
		}
		if stop() {
			return false
		}
	}
	return false
}

// tick is how often files are looked at.
const tick = 100 * time.Millisecond

// random is a name that nobody else has.
func random() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}
