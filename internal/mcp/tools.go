package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const interruptAgent = "interrupt_agent"

// mostMessage is the longest message, in bytes: what one argument of a process can hold on every
// system, with room to spare.
const mostMessage = 100_000

// addTools adds the tools of a parent agent.
func addTools(s *mcp.Server) {
	add(s, readOnly(tool("list_agents", aboutList, `{
		"limit":  {"type": "integer", "minimum": 1, "maximum": 50, "default": 10, "description": "how many agents"},
		"offset": {"type": "integer", "minimum": 0, "default": 0, "description": "how many to pass over first"}}`)),
		list)
	add(s, readOnly(tool("get_status", aboutStatus, `{}`)), status)
	add(s, readOnly(tool("wait_agent", aboutWait, `{
		"agents": {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 100, "description": "ids such as AGT-001; without it, all agents"},
		"timeout_seconds": {"type": "integer", "minimum": 1, "maximum": 300, "default": 300, "description": "how long to wait"}}`)), wait)
	add(s, tool("message_agent", aboutMessage, `{
		"agent":     {"type": "string", "minLength": 1, "description": "id such as AGT-001"},
		"message":   {"type": "string", "minLength": 1, "description": "what to tell it; it knows nothing of your conversation"},
		"interrupt": {"type": "boolean", "default": false, "description": "stop its current turn, and let it go on with the message at once"}}`, "agent", "message"), message)
	add(s, tool(interruptAgent, aboutInterrupt, `{
		"agent": {"type": "string", "minLength": 1, "description": "id such as AGT-001"}}`, "agent"), interrupt)
	add(s, readOnly(tool("get_conflicts", aboutConflicts, `{
		"refs": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 2, "maxItems": 50, "description": "branches, commits or worktrees to compare; without it, the agents of the session"},
		"base": {"type": "string", "minLength": 1, "description": "commit that all the work began at; without it, the merge base of each pair"}}`)), conflicts)
	add(s, tool("spawn_agents", aboutSpawn, spawnFields), spawn)
}

// tool describes one that writes; fields are the properties of its arguments as JSON Schema.
func tool(name, about, fields string, required ...string) *mcp.Tool {
	schema := map[string]any{"type": "object", "properties": json.RawMessage(fields), "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	no := false
	return &mcp.Tool{Name: name, Description: about, InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no}}
}

// readOnly marks a tool that only looks, so that a client need not ask before each call.
func readOnly(t *mcp.Tool) *mcp.Tool {
	t.Annotations.ReadOnlyHint = true
	return t
}

// add registers a tool whose arguments are In. What goes wrong is an answer that a model can read,
// never a fault of the protocol.
func add[In any](s *mcp.Server, t *mcp.Tool, do func(context.Context, In) (*mcp.CallToolResult, error)) {
	mcp.AddTool(s, t, func(ctx context.Context, call *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		defer reportProgress(ctx, call)()
		result, err := do(ctx, in)
		return result, nil, err
	})
}

type listArguments struct {
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
}

func list(ctx context.Context, in listArguments) (*mcp.CallToolResult, error) {
	return document(ctx, "list", "--json", "--limit", strconv.Itoa(in.Limit), "--offset", strconv.Itoa(in.Offset))
}

func status(ctx context.Context, _ struct{}) (*mcp.CallToolResult, error) {
	return document(ctx, "status", "--json")
}

type waitArguments struct {
	Agents  []string `json:"agents"`
	Seconds int      `json:"timeout_seconds"`
}

func wait(ctx context.Context, in waitArguments) (*mcp.CallToolResult, error) {
	limit := time.Duration(in.Seconds) * time.Second
	return document(ctx, append([]string{"wait", "--json", "--timeout", limit.String(), "--"}, in.Agents...)...)
}

type messageArguments struct {
	Agent     string `json:"agent"`
	Message   string `json:"message"`
	Interrupt bool   `json:"interrupt"`
}

func message(ctx context.Context, in messageArguments) (*mcp.CallToolResult, error) {
	if len(in.Message) > mostMessage {
		return nil, fmt.Errorf("message has %d bytes, at most %d: put the rest into a file of the repository, or say "+
			"it in parts", len(in.Message), mostMessage)
	}
	words := []string{"message", "--json", "--answer"}
	if in.Interrupt {
		words = append(words, "--interrupt")
	}
	return document(ctx, append(words, "--", in.Agent, in.Message)...)
}

type agentArguments struct {
	Agent string `json:"agent"`
}

func interrupt(ctx context.Context, in agentArguments) (*mcp.CallToolResult, error) {
	return document(ctx, "interrupt", "--json", "--", in.Agent)
}

type conflictsArguments struct {
	Refs []string `json:"refs"`
	Base string   `json:"base"`
}

func conflicts(ctx context.Context, in conflictsArguments) (*mcp.CallToolResult, error) {
	words := []string{"conflicts", "--json"}
	if in.Base != "" {
		words = append(words, "--base="+in.Base)
	}
	return document(ctx, append(append(words, "--"), in.Refs...)...)
}
