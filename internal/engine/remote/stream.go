package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/git"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/turn/agentdir"
)

// ask is what is asked of a turn there.
type ask string

// The two things that can be.
const (
	askInterrupt ask = "interrupt"
	askStop      ask = "stop"
)

// position is what the side here has when it begins to listen.
type position struct {
	Offset int64            `json:"offset"` // of the transcript
	Known  map[string]stamp `json:"known"`  // as agentFiles has them, there
	There  map[string]stamp `json:"there"`
}

// beatEvery is how often something is said on a stream on which nothing else is.
const beatEvery = 10 * time.Second

// sender tells the side here what becomes of the turn.
type sender struct {
	folder  folder
	to      *writer
	offset  int64
	files   agentFiles
	begun   bool
	again   bool
	refused fs.FileInfo // the file of refusals that was sent last, nil for none
	sent    time.Time
}

// serveStream tells the other side of out what becomes of the turn, and does what that asks on in, until the turn is
// over or the other side is gone.
func serveStream(at folder, in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<20)
	line, err := lines.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("serve stream: %w", err)
	}
	var a position
	if err := json.Unmarshal(line, &a); err != nil {
		return fmt.Errorf("serve stream: %w", err)
	}
	s := &sender{folder: at, to: &writer{to: out}, offset: a.Offset, files: newAgentFiles(a.Known, a.There)}
	asked, gone := make(chan frame), make(chan error, 1)
	go func() { // ends with the stream, or with this process, which ends with the stream out
		for {
			f, err := read(lines)
			if err != nil {
				gone <- err
				return
			}
			asked <- f
		}
	}()
	pulse := time.NewTicker(tick)
	defer pulse.Stop()
	for {
		select {
		case f := <-asked:
			if err := s.obey(f); err != nil {
				return err
			}
		case <-gone:
			return nil
		case <-pulse.C:
			if over, err := s.send(); over || err != nil {
				return err
			}
		}
	}
}

func newAgentFiles(known, there map[string]stamp) agentFiles {
	d := agentFiles{Known: known, There: there}
	if d.Known == nil {
		d.Known = map[string]stamp{}
	}
	if d.There == nil {
		d.There = map[string]stamp{}
	}
	return d
}

// obey does what the other side asks.
func (s *sender) obey(f frame) error {
	switch f.Kind {
	case frameAsk:
		return os.WriteFile(s.folder.file(askFile+filepath.Base(f.Name)), nil, 0o600)
	case frameFile:
		if _, prepared := s.prepared(); prepared {
			return s.files.take(f)
		}
	case frameGone:
		s.files.drop(f.Name)
	}
	return nil
}

// prepared is the turn, once it is there.
func (s *sender) prepared() (running, bool) {
	_, r, found := s.folder.turn()
	s.files.dir = agentdir.Dir(r.AgentDir)
	return r, found
}

// send tells what is new. The end comes last.
func (s *sender) send() (over bool, err error) {
	var last end
	err = atomicfile.ReadJSON(s.folder.file(endFile), &last)
	if over = err == nil; !over && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if r, found := s.prepared(); found {
		if err := errors.Join(s.tellBegun(), s.tellOutput(filepath.Join(r.Turn, "output")), s.tellFiles(),
			s.tellRefused(filepath.Join(r.Turn, "refused.json"))); err != nil {
			return false, err
		}
	}
	if !s.again && s.folder.has(againFile) {
		s.again = true
		if err := s.say(frame{Kind: frameAgain}); err != nil {
			return false, err
		}
	}
	if over {
		return true, s.to.sendJSON(frameEnd, last)
	}
	if time.Since(s.sent) >= beatEvery {
		return false, s.say(frame{Kind: frameBeat})
	}
	return false, nil
}

func (s *sender) say(f frame) error {
	s.sent = time.Now()
	return s.to.send(f)
}

// tellBegun says once that the program runs.
func (s *sender) tellBegun() error {
	turn, _, _ := s.folder.turn()
	record, err := turn.Record()
	if s.begun || err != nil {
		return nil
	}
	s.begun, s.sent = true, time.Now()
	return s.to.sendJSON(frameBegun, begun{Started: record.Started, Fence: record.Fence, Resources: record.Resources})
}

// tellOutput sends what the transcript has and the other side has not.
func (s *sender) tellOutput(transcript string) error {
	file, err := os.Open(transcript)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	for {
		data := make([]byte, 1<<20)
		n, err := file.ReadAt(data, s.offset)
		if n > 0 {
			s.offset += int64(n)
			if err := s.say(frame{Kind: frameOutput, Data: data[:n]}); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *sender) tellFiles() error {
	_, err := s.files.send(s.say)
	return err
}

func (s *sender) tellRefused(file string) error {
	info, err := os.Stat(file)
	if err != nil || info.Size() > mostData ||
		s.refused != nil && os.SameFile(info, s.refused) && info.ModTime().Equal(s.refused.ModTime()) {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	s.refused = info
	return s.say(frame{Kind: frameRefused, Data: data})
}

// serveGit joins one end of git's protocol with the other side's.
func serveGit(ctx context.Context, at folder, service string) error {
	if service != "git-receive-pack" && service != "git-upload-pack" {
		return fmt.Errorf("serve git: %q is no service", service)
	}
	if !at.await(repoFolder, time.Minute, func() bool { return at.has(endFile) }) {
		return errors.New("serve git: there is no repository")
	}
	return git.Serve(ctx, at.file(repoFolder), service, os.Stdin, os.Stdout)
}
