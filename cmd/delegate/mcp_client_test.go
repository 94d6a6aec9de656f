//go:build !windows

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is a client of `delegate mcp` for one call, a real one over standard input and output:
//
//	tool NAME ARGUMENTS          prints the answer; exit code 1 for the error of a tool, 2 for one of the protocol
//	tool -field PATH NAME ARGS   prints one field of it
//	tool -same COMMAND NAME ARGS holds it against what `delegate COMMAND` prints
//	tool -list                   prints names, the server's instructions and descriptions
//	tool -progress NAME ARGS     prints how often progress was told, then the answer
//	tool -cancel|-term NAME ARGS takes the call back or sends SIGTERM while a command runs
//	tool -close NAME ARGS        closes the stream then, in words of its own: each line that comes is of the protocol
func tool(args []string) error {
	if args[0] == "-close" {
		return hangUp(args[1], args[2])
	}
	way, value := "", ""
	if strings.HasPrefix(args[0], "-") {
		way, args = args[0], args[1:]
	}
	if way == "-field" || way == "-same" {
		value, args = args[0], args[1:]
	}
	c, err := dial()
	if err != nil {
		return err
	}
	err = c.do(way, value, args)
	if way == "-term" {
		return err // its end is what was looked at
	}
	return errors.Join(err, c.session.Close())
}

// toolClient is a session with a server of its own.
type toolClient struct {
	session *mcp.ClientSession
	server  *exec.Cmd
	heard   atomic.Int32
}

func dial() (*toolClient, error) {
	c := &toolClient{server: exec.Command("delegate", "mcp")}
	c.server.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "script", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			if r.Params.ProgressToken == "tick" && strings.HasPrefix(r.Params.Message, "wait_agent: ") {
				c.heard.Add(1)
			}
		},
	})
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: c.server}, nil)
	c.session = session
	return c, err
}

func (c *toolClient) do(way, value string, args []string) error {
	ctx := context.Background()
	if way == "-list" {
		return c.list(ctx)
	}
	params := &mcp.CallToolParams{Name: args[0], Arguments: json.RawMessage(args[1])}
	switch way {
	case "-cancel", "-term":
		return c.cutShort(params, way)
	case "-progress":
		params.Meta = mcp.Meta{"progressToken": "tick"}
	}
	text, err := c.call(ctx, params)
	if err != nil {
		return err
	}
	switch way {
	case "-progress":
		fmt.Printf("told %d times\n", c.heard.Load())
	case "-field":
		var document any
		if err := json.Unmarshal([]byte(text), &document); err != nil {
			return err
		}
		if text, err = pick(document, value); err != nil {
			return err
		}
	case "-same":
		return c.same(ctx, strings.Fields(value), params)
	}
	fmt.Println(strings.TrimSuffix(text, "\n"))
	return nil
}

// call answers with the text of a call. The structured answer must say the same.
func (c *toolClient) call(ctx context.Context, params *mcp.CallToolParams) (string, error) {
	result, err := c.session.CallTool(ctx, params)
	if err != nil {
		fmt.Println(err)
		return "", &exitError{2}
	}
	text := result.Content[0].(*mcp.TextContent).Text
	if result.IsError {
		fmt.Println(text)
		return "", &exitError{1}
	}
	var document any
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return "", err
	}
	if !reflect.DeepEqual(document, result.StructuredContent) {
		return "", fmt.Errorf("the text says %s, the structure %v", text, result.StructuredContent)
	}
	return text, nil
}

// same holds the answer against the document that a command prints. Times go on between the two, so
// it may take a second look.
func (c *toolClient) same(ctx context.Context, command []string, params *mcp.CallToolParams) error {
	for tries := 0; ; tries++ {
		out, err := exec.Command("delegate", command...).Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return err
		}
		text, err := c.call(ctx, params)
		if err != nil {
			return err
		}
		var printed bytes.Buffer
		if err := json.Compact(&printed, out); err != nil {
			return err
		}
		if printed.String() == text {
			return nil
		}
		if tries == 5 {
			return fmt.Errorf("the tool says\n%s\nand the command\n%s", text, &printed)
		}
	}
}

func (c *toolClient) list(ctx context.Context) error {
	result, err := c.session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Println(c.session.InitializeResult().Instructions)
	for _, t := range result.Tools {
		fmt.Printf("tool %s reads=%t\n%s\n", t.Name, t.Annotations.ReadOnlyHint, t.Description)
	}
	return nil
}

// cutShort ends a call while its command runs, which must end too; a server whose call alone was taken back goes on.
func (c *toolClient) cutShort(params *mcp.CallToolParams, way string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	called := make(chan error, 1)
	go func() {
		_, err := c.session.CallTool(ctx, params)
		called <- err
	}()
	server := c.server.Process.Pid
	if err := within("a command to run", func() bool { return len(childrenOf(server)) > 0 }); err != nil {
		return err
	}
	if way == "-cancel" {
		cancel()
	} else if err := c.server.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := within("the command to end", func() bool { return len(childrenOf(server)) == 0 }); err != nil {
		return err
	}
	if err := <-called; err == nil {
		return errors.New("the call that was cut short was answered")
	}
	if way == "-term" {
		return within("the server to end", func() bool { return !living(server) })
	}
	_, err := c.call(context.Background(), &mcp.CallToolParams{Name: "get_status", Arguments: map[string]any{}})
	return err
}

// hangUp calls a tool and closes the stream while its command runs. The server and the command must end.
func hangUp(name, args string) error {
	server := exec.Command("delegate", "mcp")
	var out bytes.Buffer
	server.Stdout, server.Stderr = &out, os.Stderr
	in, err := server.StdinPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(in, `{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}}`)
	fmt.Fprintln(in, `{"jsonrpc": "2.0", "method": "notifications/initialized"}`)
	fmt.Fprintf(in, `{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": %q, "arguments": %s}}`+"\n",
		name, args)
	var running []int
	if err := within("a command to run", func() bool {
		running = childrenOf(server.Process.Pid)
		return len(running) > 0
	}); err != nil {
		return err
	}
	if err := in.Close(); err != nil {
		return err
	}
	if err := waitFor(server); err != nil {
		return fmt.Errorf("the server ended with %w", err)
	}
	if slices.ContainsFunc(running, living) {
		return fmt.Errorf("left running: %v", running)
	}
	for line := range strings.Lines(out.String()) {
		var message struct {
			JSONRPC string `json:"jsonrpc"`
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil || message.JSONRPC != "2.0" {
			return fmt.Errorf("no message of the protocol: %q", line)
		}
	}
	return nil
}

// within waits until something is so.
func within(what string, reached func() bool) error {
	for deadline := time.Now().Add(patience); !reached(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("%s: that did not come", what)
		}
	}
	return nil
}

// living says whether a process is there and no zombie.
func living(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}

// childrenOf are the living child processes of a process.
func childrenOf(parent int) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range all {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // over
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 2 || fields[0] == "Z" || fields[1] != strconv.Itoa(parent) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
