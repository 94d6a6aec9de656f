package notify

import (
	"strings"

	"delegate/internal/text/shorten"
	"delegate/internal/text/ui"
)

// maxBody is how many characters of the details a desktop shows.
const maxBody = 200

// hasDesktop says whether the environment belongs to a desktop session.
func hasDesktop(system string, env []string) bool {
	switch system {
	case "darwin":
		return true
	case "linux":
		return variable(env, "DISPLAY") != "" || variable(env, "WAYLAND_DISPLAY") != "" ||
			variable(env, "DBUS_SESSION_BUS_ADDRESS") != ""
	}
	return false
}

// display is the program that shows the event on a system's desktop, with its arguments.
//
// The texts are arguments and no part of a script. The title comes first and begins with a fixed word,
// so that osascript, which takes options up to the first argument, takes none of them for one;
// notify-send takes options anywhere before "--".
func display(system string, e Event) []string {
	title, body := oneLine(title(e)), oneLine(e.Details)
	if system == "darwin" {
		return []string{
			"osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)",
			"-e", "end run", title, body,
		}
	}
	return []string{"notify-send", "--", title, markup(body)}
}

func title(e Event) string {
	words := []string{"delegate:"}
	for _, w := range []string{e.Agent, e.Event} {
		if w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// markup keeps a body's text from being taken for tags and entities, which a desktop's server reads,
// and for the backslash escapes that notify-send reads before it.
func markup(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, `\\`).Replace(text)
}

// oneLine puts as much of a text as there is room for on one line of what can be seen.
func oneLine(text string) string {
	return shorten.Runes(strings.Join(strings.Fields(ui.Clean(text)), " "), maxBody)
}
