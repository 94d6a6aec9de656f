package supervise

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/text/notes"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/transcript"
	"delegate/registry"
)

const (
	notesInPrompt     = 8 << 10
	learningsInPrompt = 5
	largestInboxNote  = 64 << 10
	mostInbox         = 1000
)

// remember gives a brief what is known from before. What cannot be read is left out, and said in the supervisor's log.
func (s snapshot) remember(b *agent.Brief, sessionID string, a registry.Agent) {
	var err error
	b.Shared, err = session.Notes(s.p).Recent(notesInPrompt)
	if err != nil {
		s.note("read notes for "+a.ID, err)
	}
	b.SharedFile = session.Notes(s.p).Path
	task := notes.Task{Type: a.Type, Scope: a.Allowed, Text: a.Subtask + " " + a.Description}
	found, err := session.Learnings(s.p).ForTask(task, learningsInPrompt)
	if err != nil {
		s.note("read learnings for "+a.ID, err)
	}
	for _, l := range found {
		seen := "once"
		if l.Seen > 1 {
			seen = fmt.Sprintf("%d times", l.Seen)
		}
		line := fmt.Sprintf("- seen %s: %s", seen, strings.Join(strings.Fields(l.Text), " "))
		b.Learnings = append(b.Learnings, agent.Cut(line, 600))
	}
	if history, err := agentdir.Dir(s.p.AgentDir(sessionID, a.ID)).Read(session.HistoryName,
		session.LargestHistory); err == nil {
		text := string(history)
		b.History = text[max(0, len(text)-session.HistoryInPrompt):]
	}
}

// learn remembers why an agent failed, for later tasks like it.
func (s snapshot) learn(ctx context.Context, a registry.Agent, reason string) error {
	if err := s.p.PlaceRecordFile(ctx, session.LearningsName); err != nil {
		return err
	}
	return session.Learnings(s.p).Add(ctx, notes.Failure{
		Time: s.p.Now(), Session: s.state.Session.ID, Agent: a.ID, Type: a.Type, Scope: a.Allowed,
		Task: a.Subtask + ": " + transcript.FirstLine(a.Description), Reason: s.p.Recorded(a, reason),
	})
}

// takeInbox merges what the agent left for others into the shared notes and keeps the files with the agent's record.
func (s snapshot) takeInbox(ctx context.Context, a registry.Agent) error {
	sessionID := s.state.Session.ID
	folder := agentdir.Dir(s.p.AgentDir(sessionID, a.ID))
	entries, err := folder.List("inbox", mostInbox)
	if err != nil {
		return fmt.Errorf("read inbox of %s: %w", a.ID, err)
	}
	for _, e := range entries {
		name := "inbox/" + e.Name()
		if ext := filepath.Ext(e.Name()); ext != ".md" && ext != ".txt" {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue
		}
		data, err := folder.Read(name, largestInboxNote)
		if err != nil {
			s.note("take a note of "+a.ID, err)
			continue
		}
		if err := s.p.PlaceRecordFile(ctx, session.NotesName); err != nil {
			return err
		}
		from := fmt.Sprintf("%s %s turn %d", sessionID, a.ID, a.Turns)
		if _, err := session.Notes(s.p).Add(ctx,
			notes.Entry{Time: info.ModTime(), From: from, Title: e.Name(),
				Text: s.p.Recorded(a, string(data))}); err != nil {
			return err
		}
		kept := filepath.Join(s.p.AgentState(sessionID, a.ID), "inbox", fmt.Sprintf("turn-%d-%s", a.Turns, e.Name()))
		if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
			return fmt.Errorf("keep note of %s: %w", a.ID, err)
		}
		if err := atomicfile.WriteFile(kept, data, 0o600); err != nil {
			return err
		}
		if err := folder.Remove(name); err != nil {
			return fmt.Errorf("take note of %s: %w", a.ID, err)
		}
	}
	return nil
}
