package agent

import (
	"fmt"

	"delegate/internal/config"
	"delegate/internal/dialect"
	"delegate/internal/program"
	"delegate/internal/run"
)

// BridgeVerb is the hidden command under which this program runs a turn of one that speaks the Agent Client Protocol:
// `delegate __acp POLICYFILE SESSION MODE -- PROGRAM ARGS…`. It reads the prompt from $DELEGATE_PROMPT_FILE.
const BridgeVerb = "__acp"

// BridgeProtocol is the output of a profile, and the Protocol it then has, whose program the bridge speaks with.
const BridgeProtocol = "acp"

// The modes of a bridge: the turn begins a conversation, or goes on with the one that is named.
const (
	BridgeNew    = "new"
	BridgeResume = "resume"
)

// bridge puts the bridge before the configured command. The program goes on with its conversation
// by the protocol, so one command serves all turns.
func (p *Profile) bridge(c config.Profile) error {
	switch {
	case len(c.Command) == 0:
		return fmt.Errorf("agent profile %q: output %q needs a command that speaks it, such as %q", p.Name, c.Output,
			"opencode acp")
	case len(c.Resume) > 0:
		return fmt.Errorf("agent profile %q: output %q resumes by itself; leave %q out", p.Name, c.Output, "resume")
	case c.Prompt != "":
		return fmt.Errorf("agent profile %q: output %q hands the prompt over by itself; leave %q out", p.Name, c.Output,
			"prompt")
	}
	p.Protocol, p.Output, p.Delivery = BridgeProtocol, dialect.EventLines, program.File
	p.Command, p.Resume = bridged(BridgeNew, c.Command), bridged(BridgeResume, c.Command)
	return nil
}

// bridged is the command line of the bridge in a mode, for a program's own.
func bridged(mode string, command []string) []string {
	return append(beforeProgram(mode), command...)
}

func beforeProgram(mode string) []string {
	return []string{run.Program(), BridgeVerb, "{policy}", "{session_id}", mode, "--"}
}

// executable is the name or path of the profile's own program.
func (p Profile) executable() string {
	if p.Protocol != "" {
		return p.Command[len(beforeProgram(BridgeNew))]
	}
	return p.Command[0]
}
