package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"delegate/checkpoint"
	"delegate/internal/turn/agentdir"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Inside is the agent in whose turn the server runs. Its tools write on its desk, which it could do
// itself, and nowhere else.
type Inside struct {
	Agent    string
	AgentDir string // "" if it is not known
}

var errNoAgentDir = errors.New("this agent's desk is not known: DELEGATE_AGENT_DIR names no folder; print the block " +
	"yourself")

func (i *Inside) addTools(s *mcp.Server) {
	add(s, tool("checkpoint", aboutCheckpoint, checkpointFields, "status"), i.checkpoint)
	add(s, tool("ask", aboutAsk, `{
		"question": {"type": "string", "minLength": 1, "maxLength": 8000, "description": "what you want to know, and what you will do without an answer"}}`, "question"), i.ask)
}

const checkpointFields = `{
	"status":   {"type": "string", "enum": ["COMPLETE", "BLOCKED", "IN_PROGRESS"], "description": "COMPLETE: the subtask is done"},
	"progress": {"type": "integer", "minimum": 0, "maximum": 100, "description": "percent of the subtask"},
	"summary":  {"type": "string", "description": "what was done, in a few sentences"},
	"changes":  {"type": "array", "description": "every file that you created, modified or deleted", "items": {
		"type": "object", "additionalProperties": false, "required": ["path", "action"], "properties": {
			"path": {"type": "string", "minLength": 1, "description": "from the root of the repository"},
			"action": {"type": "string", "enum": ["created", "modified", "deleted"]},
			"description": {"type": "string"}}}},
	"tests_executed": {"type": "boolean", "default": false, "description": "whether you ran tests; the transcript is held against it"},
	"tests_result":   {"type": "string", "enum": ["PASS", "FAIL", "SKIPPED"], "default": "SKIPPED"},
	"tests_failed":   {"type": "string", "description": "which tests fail"},
	"blockers":  {"type": "string", "description": "what keeps you from going on"},
	"questions": {"type": "string", "description": "questions for your parent"},
	"request":   {"type": "string", "enum": ["CONTINUE", "MERGE", "HELP", "ABORT"], "description": "what you ask for; with COMPLETE it is MERGE"}}`

type checkpointArguments struct {
	Status        checkpoint.Status  `json:"status"`
	Progress      *int               `json:"progress"`
	Summary       string             `json:"summary"`
	Changes       []checkpointChange `json:"changes"`
	TestsExecuted bool               `json:"tests_executed"`
	TestsResult   checkpoint.Result  `json:"tests_result"`
	TestsFailed   string             `json:"tests_failed"`
	Blockers      string             `json:"blockers"`
	Questions     string             `json:"questions"`
	Request       checkpoint.Request `json:"request"`
}

type checkpointChange struct {
	Path        string            `json:"path"`
	Action      checkpoint.Action `json:"action"`
	Description string            `json:"description"`
}

func (in checkpointArguments) block(id string) checkpoint.Block {
	b := checkpoint.Block{
		Agent: id, Status: in.Status, Progress: -1, Blockers: strings.TrimSpace(in.Blockers),
		Questions: strings.TrimSpace(in.Questions), Request: in.Request,
		Tests:   checkpoint.Tests{Executed: in.TestsExecuted, Result: in.TestsResult, Failed: oneLine(in.TestsFailed)},
		Changes: []checkpoint.Change{},
	}
	if in.Progress != nil {
		b.Progress = *in.Progress
	}
	for _, c := range in.Changes {
		b.Changes = append(b.Changes, checkpoint.Change{Path: oneLine(c.Path), Action: c.Action,
			Description: oneLine(c.Description)})
	}
	return b
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// reported is the answer of both tools of an agent.
type reported struct {
	Recorded string `json:"recorded"`        // file on the desk, "" if what is said has to be printed
	Block    string `json:"block,omitempty"` // to be printed
	Guidance string `json:"guidance"`
}

// checkpoint records a completion, which the supervisor reads at the end of the turn, and answers
// any other report with the block that says it: what an agent prints while it works is the one
// thing that is heard at once.
func (i *Inside) checkpoint(_ context.Context, in checkpointArguments) (*mcp.CallToolResult, error) {
	if i.AgentDir == "" {
		return nil, errNoAgentDir
	}
	b := in.block(i.Agent)
	if err := readable(b); err != nil {
		return nil, err
	}
	agentDir := agentdir.Dir(i.AgentDir)
	if err := agentDir.Append("HEARTBEAT_"+i.Agent+".md",
		time.Now().UTC().Format(time.RFC3339)+" checkpoint\n"); err != nil {
		return nil, err
	}
	if !b.Completion() {
		return said(reported{Block: b.String(), Guidance: "Print this block, as it is, as your own words. If you " +
			"need an answer, end your turn right after it; the answer comes with your next turn."})
	}
	if err := i.complete(in); err != nil {
		return nil, err
	}
	return said(reported{Recorded: "completion.json", Guidance: "Your subtask counts as completed when this turn " +
		"ends. End it now with a short summary in plain text; no block is needed."})
}

// readable makes sure that the block says to a reader what it was made of: a text could hold a
// heading, a rule or a block.
func readable(b checkpoint.Block) error {
	again, err := checkpoint.Parse(b.String())
	if err == nil && !reflect.DeepEqual(again, b) {
		err = errors.New("it would be read as something else")
	}
	if err != nil {
		return fmt.Errorf("these fields make no block: %w; leave headings, rules and table lines out of blockers, "+
			"questions, paths and descriptions", err)
	}
	return nil
}

// complete writes completion.json. The first one of a turn counts, so a second is refused.
func (i *Inside) complete(in checkpointArguments) error {
	claim := struct {
		Status  checkpoint.CompletionStatus `json:"status"`
		Summary string                      `json:"summary"`
		Files   []string                    `json:"files_modified"`
		Tests   []string                    `json:"tests_run"`
		Caveats []string                    `json:"caveats"`
	}{Status: checkpoint.Completed, Summary: in.Summary, Files: []string{}, Tests: []string{}, Caveats: []string{}}
	for _, c := range in.Changes {
		claim.Files = append(claim.Files, c.Path)
	}
	if in.TestsExecuted {
		claim.Tests = append(claim.Tests, string(in.TestsResult))
	}
	for _, open := range [][2]string{{"tests fail", in.TestsFailed}, {"blockers", in.Blockers},
		{"questions", in.Questions}} {
		if text := strings.TrimSpace(open[1]); text != "" {
			claim.Caveats = append(claim.Caveats, open[0]+": "+text)
		}
	}
	data, err := json.MarshalIndent(claim, "", "  ")
	if err != nil {
		return fmt.Errorf("write completion.json: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(i.AgentDir, "completion.json"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return errors.New(
			"you have reported completion in this turn already, and the first report counts; end your turn",
		)
	}
	if err != nil {
		return fmt.Errorf("write completion.json: %w", err)
	}
	_, err = file.Write(append(data, '\n'))
	return errors.Join(err, file.Close())
}

type askArguments struct {
	Question string `json:"question"`
}

// ask leaves a question in the agent's inbox, which becomes a note when the turn ends.
func (i *Inside) ask(_ context.Context, in askArguments) (*mcp.CallToolResult, error) {
	if i.AgentDir == "" {
		return nil, errNoAgentDir
	}
	agentDir := agentdir.Dir(i.AgentDir)
	if err := agentDir.Folder("inbox"); err != nil {
		return nil, err
	}
	name := "inbox/question-" + time.Now().UTC().Format("20060102-150405.000000") + ".md"
	if err := agentDir.Append(name, "Question of "+i.Agent+":\n\n"+strings.TrimSpace(in.Question)+"\n"); err != nil {
		return nil, err
	}
	return said(reported{Recorded: name, Guidance: "Your question is kept, and is shown with the project's notes " +
		"when this turn ends. Nobody answers while you work: " +
		"go on without the answer if you can, and call checkpoint with status BLOCKED, request HELP and this " +
		"question if you cannot."})
}

func said(r reported) (*mcp.CallToolResult, error) {
	document, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	return answer(document, "")
}
