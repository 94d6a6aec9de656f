package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/agent"
	"delegate/internal/agentdir"
	"delegate/internal/atomicfile"
	"delegate/internal/notes"
	"delegate/internal/project"
	"delegate/registry"
)

// Notes is the file of notes that everybody in the project shares. Agents add to it through their inbox only.
func Notes(p *project.Project) notes.Notes {
	return notes.Notes{Path: filepath.Join(p.Main, "docs", "logs", "delegation_notes.md"),
		Lock: filepath.Join(p.Private, "notes.lock")}
}

// Learnings is the file of what failed before.
func Learnings(p *project.Project) notes.Learnings {
	return notes.Learnings{Path: filepath.Join(p.Main, "docs", "logs", "delegation_learnings.md"),
		Lock: filepath.Join(p.Private, "learnings.lock")}
}

// What of these a prompt is given, in bytes and in number.
const (
	notesInPrompt     = 8 << 10
	historyInPrompt   = 16 << 10
	learningsInPrompt = 5
	largestInboxNote  = 64 << 10
	mostInbox         = 1000
	largestHistory    = 1 << 20
)

// historyName is the file on a desk in which an agent writes what it wants to know later.
const historyName = "history.md"

// remember gives a brief what is known from before. What cannot be read is left out, and said in the supervisor's log.
func (s *supervisor) remember(b *agent.Brief, session string, a registry.Agent) {
	var err error
	b.Shared, err = Notes(s.p).Recent(notesInPrompt)
	if err != nil {
		s.note("read notes for "+a.ID, err)
	}
	b.SharedFile = Notes(s.p).Path
	task := notes.Task{Type: a.Type, Scope: a.Allowed, Text: a.Subtask + " " + a.Description}
	found, err := Learnings(s.p).ForTask(task, learningsInPrompt)
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
	if history, err := agentdir.Dir(s.p.AgentDir(session, a.ID)).Read(historyName, largestHistory); err == nil {
		text := string(history)
		b.History = text[max(0, len(text)-historyInPrompt):]
	}
}

// learn remembers why an agent failed, for later tasks like it.
func (s *supervisor) learn(ctx context.Context, a registry.Agent, reason string) error {
	return Learnings(s.p).Add(ctx, notes.Failure{
		Time: s.p.Now(), Session: s.state.Session.ID, Agent: a.ID, Type: a.Type, Scope: a.Allowed,
		Task: a.Subtask + ": " + firstLine(a.Description), Reason: reason,
	})
}

// takeInbox merges what the agent left for others into the shared notes and keeps the files with the agent's record.
func (s *supervisor) takeInbox(ctx context.Context, a registry.Agent) error {
	session := s.state.Session.ID
	desk := agentdir.Dir(s.p.AgentDir(session, a.ID))
	entries, err := desk.List("inbox", mostInbox)
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
		data, err := desk.Read(name, largestInboxNote)
		if err != nil {
			s.note("take a note of "+a.ID, err)
			continue
		}
		from := fmt.Sprintf("%s %s turn %d", session, a.ID, a.Turns)
		if _, err := Notes(s.p).Add(ctx,
			notes.Entry{Time: info.ModTime(), From: from, Title: e.Name(), Text: string(data)}); err != nil {
			return err
		}
		kept := filepath.Join(s.p.AgentState(session, a.ID), "inbox", fmt.Sprintf("turn-%d-%s", a.Turns, e.Name()))
		if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
			return fmt.Errorf("keep note of %s: %w", a.ID, err)
		}
		if err := atomicfile.WriteFile(kept, data, 0o600); err != nil {
			return err
		}
		if err := desk.Remove(name); err != nil {
			return fmt.Errorf("take note of %s: %w", a.ID, err)
		}
	}
	return nil
}
