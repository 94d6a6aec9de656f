package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
)

// Message is one text that waits for an agent's next turn.
type Message struct {
	Number int       `json:"number"`
	From   string    `json:"from"`
	Text   string    `json:"text"`
	Time   time.Time `json:"time"`
}

func QueueDir(p *project.Project, session, id string) string {
	return filepath.Join(p.AgentState(session, id), "queue")
}

// undecided is how the file of a message ends whose row is not in the registry yet; queued does not list it.
const undecided = ".new"

// LockQueue keeps others from queueing a message for the agent. An undecided message that it meets
// is of a command that died around its row, and joins the queue: it may be delivered though nobody
// was told so, and is never lost.
func LockQueue(ctx context.Context, p *project.Project, session, id string) (*atomicfile.Guard, error) {
	dir := QueueDir(p, session, id)
	lock, err := atomicfile.Lock(ctx, filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"+undecided))
	for _, path := range left {
		err = errors.Join(err, os.Rename(path, strings.TrimSuffix(path, undecided)+".json"))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("queue message for %s: %w", id, err), lock.Unlock())
	}
	return lock, nil
}

// LockedQueue lists what a turn that begins or ends now has to take into account: no message of which
// a row stands in the registry is missing.
func LockedQueue(ctx context.Context, p *project.Project, session, id string) ([]Message, error) {
	lock, err := LockQueue(ctx, p, session, id)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	return Queue(p, session, id)
}

// Enqueue writes a message durably and then, while nobody else can queue one for the agent, does what goes with it:
// rows of the registry have the order of the queue. If that is refused, nobody has seen the message.
func Enqueue(ctx context.Context, p *project.Project, session, id string, m Message, then func() error) error {
	dir := QueueDir(p, session, id)
	lock, err := LockQueue(ctx, p, session, id)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	counter := filepath.Join(dir, "last")
	if data, err := os.ReadFile(counter); err == nil {
		m.Number, _ = strconv.Atoi(strings.TrimSpace(string(data)))
	}
	m.Number++
	if err := atomicfile.WriteFile(counter, []byte(strconv.Itoa(m.Number)), 0o600); err != nil {
		return err
	}
	data, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("queue message for %s: %w", id, err)
	}
	path := filepath.Join(dir, fmt.Sprintf("%06d", m.Number))
	if err := atomicfile.WriteFile(path+undecided, data, 0o600); err != nil {
		return err
	}
	if err := then(); err != nil {
		return errors.Join(err, os.Remove(path+undecided))
	}
	return os.Rename(path+undecided, path+".json")
}

// Queue lists the messages that no turn has been given, in order.
func Queue(p *project.Project, session, id string) ([]Message, error) {
	dir := QueueDir(p, session, id)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read queue of %s: %w", id, err)
	}
	var all []Message
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		m, err := readFile[*Message](filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read queue of %s: %w", id, err)
		}
		if m != nil { // else it was delivered meanwhile
			all = append(all, *m)
		}
	}
	slices.SortFunc(all, func(x, y Message) int { return x.Number - y.Number })
	return all, nil
}

// MessageTexts are the messages as a prompt has them.
func MessageTexts(messages []Message) string {
	all := make([]string, 0, len(messages))
	for _, m := range messages {
		all = append(all, m.Text)
	}
	return strings.Join(all, "\n\n")
}

func MessageNumbers(messages []Message) []int {
	var all []int
	for _, m := range messages {
		all = append(all, m.Number)
	}
	return all
}

// Dequeue takes messages that stand in a turn's spec out of the queue.
func Dequeue(p *project.Project, session, id string, numbers []int) error {
	for _, n := range numbers {
		err := os.Remove(filepath.Join(QueueDir(p, session, id), fmt.Sprintf("%06d.json", n)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("take message %d of %s from the queue: %w", n, id, err)
		}
	}
	return nil
}
