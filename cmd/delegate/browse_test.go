//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// browse has headless Chromium open a link, the first line of a file, and does there what the lines of another say:
//
//	open PATH           below where the link led; "-" loads the page anew
//	click SELECTOR      the first element that it matches; a link's page is waited for
//	focus SELECTOR      the first element that it matches
//	type TEXT           into the field that has the focus
//	key KEY             on the page
//	see TEXT            until it is to be read
//	never TEXT          is not to be read
//	hold EXPRESSION     until it is true
//	tab NUMBER          the other lines are about that tab, which is new at first
//	size WIDTH          of the window, from now on
//	colours NAME        light or dark
//	life STATE          frozen, as of a tab that sleeps, or active
//	script off          the page's own is not run
//	shot FILE           a picture of the whole page
//	view FILE           a picture of what is on the screen
//	run COMMAND…        beside the browser, by a shell
//	took EXPRESSION     prints what it is
func browse(args []string) error {
	link, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	script, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	b, err := openBrowser()
	if err != nil {
		return err
	}
	defer b.close()
	address, _, _ := strings.Cut(string(link), "\n")
	if err := b.tab("1"); err != nil {
		return fmt.Errorf("%w\nthe browser says:\n%s", err, &b.said)
	}
	if _, err := b.ask("Page.navigate", map[string]any{"url": address}); err != nil {
		return err
	}
	if err := b.hold("document.querySelector('main') && document.readyState == 'complete'"); err != nil {
		return err
	}
	for line := range strings.Lines(string(script)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := b.step(line); err != nil {
			text, _ := b.value("document.title + '\\n' + document.body.innerText")
			return fmt.Errorf("%s: %w\nthe page is:\n%v", line, err, text)
		}
	}
	return nil
}

// browser is a Chromium that listens on a pipe.
type browser struct {
	cmd   *exec.Cmd
	said  bytes.Buffer // its own faults
	to    io.WriteCloser
	from  *bufio.Reader
	home  string
	tabs  map[string]string // their sessions
	now   string            // the session of the tab
	last  int
	where string // the address below which paths are opened
}

var errNoBrowser = errors.New("no Chromium in PATH")

func openBrowser() (*browser, error) {
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && program == "" {
			program = path
		}
	}
	if program == "" {
		return nil, errNoBrowser
	}
	home, err := os.MkdirTemp("", "browser-")
	if err != nil {
		return nil, err
	}
	theirs, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	b := &browser{to: to, from: bufio.NewReaderSize(from, 1<<20), home: home, tabs: map[string]string{}}
	b.cmd = exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir="+home, "about:blank")
	b.cmd.ExtraFiles = []*os.File{theirs, out}
	// its socket has to have a short path
	b.cmd.Env, b.cmd.Stderr = append(os.Environ(), "HOME="+home, "TMPDIR=/tmp"), &b.said
	err = b.cmd.Start()
	return b, errors.Join(err, theirs.Close(), out.Close())
}

func (b *browser) close() {
	_, _ = b.ask("Browser.close", nil)
	b.to.Close()
	_ = b.cmd.Wait() // how it ends tells nothing of the page
	os.RemoveAll(b.home)
}

// ask calls a method of the tab, or of the browser while there is none, and waits for its answer.
func (b *browser) ask(method string, params map[string]any) (map[string]any, error) {
	b.last++
	call := map[string]any{"id": b.last, "method": method, "params": params}
	if b.now != "" && !strings.HasPrefix(method, "Target.") && !strings.HasPrefix(method, "Browser.") {
		call["sessionId"] = b.now
	}
	data, err := json.Marshal(call)
	if err != nil {
		return nil, err
	}
	if _, err := b.to.Write(append(data, 0)); err != nil {
		return nil, err
	}
	for {
		data, err := b.from.ReadBytes(0)
		if err != nil {
			return nil, err
		}
		var answer struct {
			ID     int
			Result map[string]any
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(data[:len(data)-1], &answer); err != nil {
			return nil, err
		}
		if answer.ID != b.last {
			continue // an event
		}
		if answer.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, answer.Error.Message)
		}
		return answer.Result, nil
	}
}

// tab goes to a tab, which it opens where it is not known.
func (b *browser) tab(name string) error {
	if session, found := b.tabs[name]; found {
		b.now = session
		return nil
	}
	made, err := b.ask("Target.createTarget", map[string]any{"url": "about:blank"})
	if err != nil {
		return err
	}
	attached, err := b.ask("Target.attachToTarget", map[string]any{"targetId": made["targetId"], "flatten": true})
	if err != nil {
		return err
	}
	b.now = fmt.Sprint(attached["sessionId"])
	b.tabs[name] = b.now
	if b.where == "" {
		return nil
	}
	return b.open("")
}

func (b *browser) open(path string) error {
	if b.where == "" {
		where, err := b.value("location.origin + location.pathname.replace(/[^/]*$/, '')")
		if err != nil {
			return err
		}
		b.where = fmt.Sprint(where)
	}
	if _, err := b.ask("Page.navigate", map[string]any{"url": b.where + path}); err != nil {
		return err
	}
	return b.hold("document.querySelector('main') && document.readyState == 'complete'")
}

// value is what an expression of the page comes to.
func (b *browser) value(expression string) (any, error) {
	answer, err := b.ask("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true,
		"awaitPromise": true, "userGesture": true})
	if err != nil {
		return nil, err
	}
	if fault, is := answer["exceptionDetails"]; is {
		return nil, fmt.Errorf("%s: %v", expression, fault)
	}
	result, _ := answer["result"].(map[string]any)
	return result["value"], nil
}

// hold waits until an expression is true. A page that is just being left has none.
func (b *browser) hold(expression string) error {
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var value any
		if value, err = b.value("!!(" + expression + ")"); err == nil && value == true {
			return nil
		}
	}
	return errors.Join(fmt.Errorf("never: %s", expression), err)
}

func quoteJS(text string) string { return strconv.QuoteToASCII(text) }

// step does what a line says.
func (b *browser) step(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "open":
		return b.open(strings.TrimPrefix(rest, "-"))
	case "click", "focus":
		what := "document.querySelector(" + quoteJS(rest) + ")"
		if err := b.hold(what); err != nil {
			return err
		}
		leads, err := b.value(what + ".matches('a:not([href^=\"#\"])') && !!(window.left = true)")
		if err == nil {
			_, err = b.value(what + "." + verb + "()")
		}
		if err == nil && leads == true && verb == "click" {
			err = b.hold("!window.left && document.readyState == 'complete'")
		}
		return err
	case "type":
		if err := b.hold("document.activeElement.matches('input, textarea')"); err != nil {
			return err
		}
		_, err := b.ask("Input.insertText", map[string]any{"text": rest})
		return err
	case "key":
		for _, kind := range []string{"keyDown", "keyUp"} {
			key := map[string]any{"type": kind, "key": rest}
			if len(rest) == 1 && kind == "keyDown" {
				key["text"] = rest
			}
			if rest == "Enter" && kind == "keyDown" {
				key["text"] = "\r"
			}
			if _, err := b.ask("Input.dispatchKeyEvent", key); err != nil {
				return err
			}
		}
		return nil
	case "see":
		return b.hold("document.body.textContent.includes(" + quoteJS(rest) + ")")
	case "never":
		return b.hold("!document.body.textContent.includes(" + quoteJS(rest) + ")")
	case "hold":
		return b.hold(rest)
	case "tab":
		return b.tab(rest)
	case "took":
		value, err := b.value(rest)
		fmt.Println(value)
		return err
	case "run":
		cmd := exec.Command("sh", "-c", rest)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		return cmd.Run()
	}
	return b.picture(verb, rest)
}

// picture sets how the page is shown, and takes pictures of it.
func (b *browser) picture(verb, rest string) error {
	switch verb {
	case "size":
		width, err := strconv.Atoi(rest)
		if err != nil {
			return err
		}
		_, err = b.ask("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900,
			"deviceScaleFactor": 1, "mobile": false})
		return err
	case "colours":
		_, err := b.ask("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{
			{"name": "prefers-color-scheme", "value": rest}}})
		return err
	case "life":
		_, err := b.ask("Page.setWebLifecycleState", map[string]any{"state": rest})
		return err
	case "script":
		_, err := b.ask("Emulation.setScriptExecutionDisabled", map[string]any{"value": rest == "off"})
		return err
	case "shot", "view":
		answer, err := b.ask("Page.captureScreenshot", map[string]any{"captureBeyondViewport": verb == "shot"})
		if err != nil {
			return err
		}
		data, err := base64.StdEncoding.DecodeString(fmt.Sprint(answer["data"]))
		if err != nil {
			return err
		}
		return os.WriteFile(rest, data, 0o644)
	}
	return fmt.Errorf("what is %q?", verb)
}
