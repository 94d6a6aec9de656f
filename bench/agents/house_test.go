//go:build bench && !windows

package agents_test

import (
	"context"
	"fmt"
	"os"

	"delegate/registry"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serverVerb has this test binary be one of the person's MCP servers, of the name behind it.
const serverVerb = "__server"

// The person's servers: their programs know both, and the configuration allows one.
const (
	allowed = "garden"
	kept    = "cellar"
)

// serveTools offers one tool, whose answer has the server's mark.
func serveTools(name string) error {
	s := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "look_" + name, Description: "Looks at the " + name + "."},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: markOf(name)}}}, nil, nil
		})
	return s.Run(context.Background(), &mcp.StdioTransport{})
}

// house writes the servers where the person would, into the program's own file below the home folder.
func house(program string, files map[string]string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	servers := object{}
	for _, name := range []string{allowed, kept} {
		args := []string{serverVerb, name}
		switch program {
		case "codex":
			files[".codex/config.toml"] += fmt.Sprintf("\n[mcp_servers.%s]\ncommand = %q\nargs = [%q, %q]\n", name,
				self, args[0], args[1])
		case "opencode":
			servers[name] = object{"type": "local", "command": append([]string{self}, args...), "enabled": true}
		case "copilot":
			servers[name] = object{"type": "local", "command": self, "args": args, "tools": []string{"*"}}
		default:
			servers[name] = object{"command": self, "args": args}
		}
	}
	switch program {
	case "claude":
		files[".claude.json"] = encode(object{"mcpServers": servers})
	case "copilot":
		files[".copilot/mcp-config.json"] = encode(object{"mcpServers": servers})
	case "opencode":
		return addSetting(files, ".config/opencode/opencode.json", object{"mcp": servers})
	case "gemini", "qwen":
		return addSetting(files, "."+program+"/settings.json", object{"mcpServers": servers})
	}
	return nil
}

// servers: the model reaches the server that the configuration allows, and hears its answer. Of the other it is
// neither told, nor does it answer.
func servers(ctx context.Context, t *trial) {
	if _, ok := t.rest(ctx, registry.Complete); !ok {
		return
	}
	for _, name := range []string{allowed, kept} {
		t.expect(t.model.called("servers", "look_"+name) == 1, "look_%s was called %d times", name,
			t.model.called("servers", "look_"+name))
	}
	t.expect(t.model.marked("servers", markOf(allowed)), "the answer of %s did not reach the model", allowed)
	t.expect(!t.model.marked("servers", markOf(kept)), "%s answered", kept)
	t.expect(!t.model.offered("look_"+kept), "a tool of %s is offered", kept)
}
