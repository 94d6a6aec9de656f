package remote

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"sync"
	"time"

	"delegate/internal/fence/resource"
	"delegate/internal/fence/sandbox"
	"delegate/internal/git"
	"delegate/internal/project/config"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// protocol is raised whenever the two ends would not understand one another any more.
const protocol = 2

// request is all that a turn is there: what is here a repository, a registry and an agent's folder.
type request struct {
	Session  registry.Session `json:"session"`
	Agent    registry.Agent   `json:"agent"` // as it is in this turn
	Config   []byte           `json:"config"`
	Author   git.Person       `json:"author"`
	Prompt   string           `json:"prompt"`
	AgentDir string           `json:"agent_dir"` // here, as the prompt names it
	Budget   string           `json:"budget"`
	Wait     time.Duration    `json:"permission_wait_ns"`
	Copied   []copied         `json:"copied,omitempty"`
}

// copied is a file that git does not track and that goes there.
type copied struct {
	Path string `json:"path"`
	Mode uint32 `json:"mode"`
	Data []byte `json:"data"`
}

// settings is what the keeper of a turn on an engine needs here, in the turn's folder.
type settings struct {
	Engine       config.Engine `json:"engine"`
	QueueTimeout time.Duration `json:"queue_timeout_ns"`
	Main         string        `json:"main"`
	MostOutput   int64         `json:"most_output"` // bytes of the transcript, and of new objects; 0 is no limit
	Request      request       `json:"request"`
}

// identity is what the keeper there says of itself.
type identity struct {
	Protocol    int             `json:"protocol"`
	Incarnation string          `json:"incarnation"` // of this start of this job
	Node        string          `json:"node"`
	Mirror      bool            `json:"mirror"`  // its objects are used
	Support     sandbox.Support `json:"support"` // what the kernel there can hold agents with
}

// end is how a turn ended there.
type end struct {
	Exit       keeper.Exit `json:"exit"`
	Head       string      `json:"head"`                 // the commit that holds its work, "" where there is none
	Incomplete string      `json:"incomplete,omitempty"` // what could not be read into it
}

// begun is that a turn's program started there.
type begun struct {
	Started   time.Time        `json:"started_at"`
	Fence     *sandbox.Support `json:"fence,omitempty"`
	Resources *resource.Held   `json:"resources,omitempty"`
}

// kind says what a frame is.
type kind string

// The kinds. Those from here to there are a request, and a file of the agent's folder.
const (
	frameOutput  kind = "output"  // more of the transcript
	frameFile    kind = "file"    // of the agent's folder, as it is now
	frameGone    kind = "gone"    // a file that was taken away there
	frameRefused kind = "refused" // what the fence refused, as the turn's file has it
	frameBegun   kind = "begun"
	frameAgain   kind = "again" // the engine started the job once more, and the second start was refused
	frameBeat    kind = "beat"  // that the stream still holds
	frameEnd     kind = "end"
	frameAsk     kind = "ask" // interrupt or stop
)

// frame is one thing that is said on the stream: a line of JSON, and so many bytes.
type frame struct {
	Kind kind   `json:"kind"`
	Name string `json:"name,omitempty"`
	Time int64  `json:"time,omitempty"` // when a file was written, in nanoseconds
	Size int    `json:"size"`
	Data []byte `json:"-"`
}

// Bounds on what is read from the other side.
const (
	mostLine = 4 << 10
	mostData = 8 << 20
	mostSaid = 1 << 20 // of an answer to a short question
)

// writer sends frames, one at a time.
type writer struct {
	mu sync.Mutex
	to io.Writer
}

func (w *writer) send(f frame) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	f.Size = len(f.Data)
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	_, err = w.to.Write(append(append(line, '\n'), f.Data...))
	return err
}

// sendJSON sends a frame that holds a value.
func (w *writer) sendJSON(k kind, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return w.send(frame{Kind: k, Data: data})
}

// read is the next frame; an error at the end of the stream and for what is none.
func read(r *bufio.Reader) (frame, error) {
	var f frame
	line, err := r.ReadSlice('\n')
	if err != nil {
		return f, err
	}
	if len(line) > mostLine {
		return f, fmt.Errorf("read frame: its line has %d bytes", len(line))
	}
	if err := json.Unmarshal(line, &f); err != nil {
		return f, fmt.Errorf("read frame: %w", err)
	}
	if f.Size < 0 || f.Size > mostData {
		return f, fmt.Errorf("read frame: it says that it has %d bytes", f.Size)
	}
	f.Data = make([]byte, f.Size)
	_, err = io.ReadFull(r, f.Data)
	return f, err
}

// stamp tells one version of a file from another.
type stamp struct {
	Size int64 `json:"size"`
	Time int64 `json:"time"`
}

// agentFiles keeps one side's copy of the agent's folder like the other's. What this side wrote because the other
// had it is not sent back.
type agentFiles struct {
	dir   agentdir.Dir
	Known map[string]stamp `json:"known"` // what both sides have, as it stands on this one
	There map[string]stamp `json:"there"` // the same, as it stands on the other
}

// Bounds on what is kept alike.
const (
	mostFiles = 1200 // in one folder
	mostFile  = 1 << 20
)

// folders are those of an agent's folder that are kept alike; "." is the folder itself.
func folders() []string { return []string{".", "inbox", "questions", "spool"} }

// send sends what the other side does not have as it is here, and says whether there was anything.
func (d *agentFiles) send(to func(frame) error) (sent bool, err error) {
	files, gone := d.changed()
	for _, name := range gone {
		files = append(files, frame{Kind: frameGone, Name: name})
	}
	for _, f := range files {
		if err := to(f); err != nil {
			return true, err
		}
	}
	return len(files) > 0, nil
}

// changed are files that the other side does not have so, and the names of those that are gone here.
func (d *agentFiles) changed() (files []frame, gone []string) {
	seen := map[string]bool{}
	for _, folder := range folders() {
		entries, err := d.dir.List(folder, mostFiles)
		if err != nil {
			continue // an agent's folder: what cannot be read is not sent
		}
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			info, err := e.Info()
			if e.Name()[0] == '.' || err != nil || !info.Mode().IsRegular() {
				continue
			}
			seen[name] = true
			now := stamp{info.Size(), info.ModTime().UnixNano()}
			if d.Known[name] == now {
				continue
			}
			data, err := d.dir.Read(name, mostFile)
			if err != nil {
				continue
			}
			d.Known[name] = now
			files = append(files, frame{Kind: frameFile, Name: name, Time: now.Time, Data: data})
		}
	}
	for name := range d.Known {
		if !seen[name] {
			gone = append(gone, name)
			delete(d.Known, name)
		}
	}
	return files, gone
}

// take writes what the other side has; what it sent before is not taken again.
func (d *agentFiles) take(f frame) error {
	there := stamp{int64(len(f.Data)), f.Time}
	if !isAgentFile(f.Name) || len(f.Data) > mostFile || d.There[f.Name] == there {
		return nil
	}
	if len(d.There) > 4*mostFiles {
		return fmt.Errorf("keep the agent's folder alike: there are more than %d files", 4*mostFiles)
	}
	if folder := path.Dir(f.Name); folder != "." {
		if err := d.dir.Folder(folder); err != nil {
			return err
		}
	}
	written, err := d.dir.Put(f.Name, f.Data)
	if err != nil {
		return err
	}
	d.There[f.Name] = there
	d.Known[f.Name] = stamp{written.Size(), written.ModTime().UnixNano()}
	return nil
}

// drop takes away what the other side took away.
func (d *agentFiles) drop(name string) {
	if _, both := d.Known[name]; isAgentFile(name) && both {
		delete(d.Known, name)
		_ = d.dir.Remove(name)
	}
}

// isAgentFile says whether a file of that name is one that is kept alike.
func isAgentFile(name string) bool {
	if path.Clean(name) != name || path.IsAbs(name) || path.Base(name)[0] == '.' {
		return false
	}
	for _, folder := range folders() {
		if path.Dir(name) == folder {
			return true
		}
	}
	return false
}
