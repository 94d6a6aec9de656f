package config

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// field is one key that a mapping may have, and what reads its value.
type field struct {
	name string
	read func(value)
}

func (r *reader) config(c *Config, v value) {
	r.mapping(v, []field{
		{"agent", r.word(&c.Agent)},
		{"profiles", r.profiles(&c.Profiles)},
		{"planner", r.word(&c.Planner)},
		{"planner_timeout", r.span(&c.PlannerTimeout)},
		{"max_parallel_agents", r.count(&c.MaxParallelAgents)},
		{"agent_timeout", r.span(&c.AgentTimeout)},
		{"checkpoint_interval", r.span(&c.CheckpointInterval)},
		{"scope_limit", r.count(&c.ScopeLimit)},
		{"turn_limit", r.count(&c.TurnLimit)},
		{"token_limit", r.count(&c.TokenLimit)},
		{"allowed_roots", r.list(&c.AllowedRoots, noCheck)},
		{"forbidden", r.list(&c.Forbidden, noCheck)},
		{"restricted", r.list(&c.Restricted, noCheck)},
		{"verify", r.verify(c)},
		{"verify_env", r.list(&c.VerifyEnv, checkVariable)},
		{"verify_timeout", r.span(&c.VerifyTimeout)},
		{"confirm", r.named(&c.Confirm, checkConfirmer)},
		{"confirm_timeout", r.span(&c.ConfirmTimeout)},
		{"analysis_limit", r.span(&c.AnalysisLimit)},
		{"setup", r.list(&c.Setup, noCheck)},
		{"copy", r.list(&c.Copy, checkInside)},
		{"stall", r.stall(c.Stall)},
		{"nudge_grace", r.span(&c.NudgeGrace)},
		{"stop_grace", r.span(&c.StopGrace)},
		{"worktree_dir", r.folder(&c.WorktreeDir)},
		{"dependencies", r.choice(&c.Dependencies, DependMerged, DependComplete)},
		{"supervision", r.choice(&c.Supervision, Supervised, SemiAutonomous)},
		{"notify", r.command(&c.Notify)},
		{"review", func(v value) { r.review(&c.Review, v) }},
		{"landing", func(v value) { r.landing(&c.Landing, v) }},
		{"sandbox", func(v value) { r.sandbox(&c.Sandbox, v) }},
		{"ports", func(v value) { r.ports(&c.Ports, v) }},
		{"limits", func(v value) { r.limits(&c.Limits, v) }},
	})
}

func (r *reader) ports(c *Ports, v value) {
	r.mapping(v, []field{
		{"first", r.between(&c.First, 1024, 65000)},
		{"each", r.between(&c.Each, 0, 1000)},
	})
}

func (r *reader) limits(c *Limits, v value) {
	r.mapping(v, []field{
		{"file_size", r.size(&c.FileSize)},
		{"work_size", r.size(&c.WorkSize)},
		{"entries", r.count(&c.Entries)},
	})
}

func (r *reader) landing(c *Landing, v value) {
	r.mapping(v, []field{
		{"mode", r.choice(&c.Mode, LandByMerge, LandBySquash, LandByRebase)},
		{"hooks", r.choice(&c.Hooks, SkipHooks, RunHooks)},
	})
}

func (r *reader) sandbox(c *Sandbox, v value) {
	r.mapping(v, []field{
		{"level", r.choice(&c.Level, SandboxRequired, SandboxOff)},
		{"network", r.choice(&c.Network, NetworkOpen, NetworkNone, NetworkHosts)},
		{"hosts", r.list(&c.Hosts, checkHost)},
		{"writable", r.list(&c.Writable, checkPlace)},
		{"hidden", r.list(&c.Hidden, checkPlace)},
		{"scratch", r.list(&c.Scratch, checkInside)},
		{"verify", r.flag(&c.Verify)},
		{"verify_network", r.choice(&c.VerifyNetwork, NetworkOpen, NetworkNone, NetworkHosts)},
	})
}

// verify reads the commands, or the one word that stands for those that are detected.
func (r *reader) verify(c *Config) func(value) {
	read := r.list(&c.Verify, noCheck)
	return func(v value) {
		if word, ok := v.node.(*ast.StringNode); ok && word.Value == "detect" {
			c.VerifyDetect = true
			return
		}
		read(v)
	}
}

// checkHost accepts a host name or address with an optional port.
func checkHost(host string) string {
	name := strings.TrimPrefix(host, "*.")
	if name == "" || strings.ContainsAny(name, " /*@\t") {
		return fmt.Sprintf("%q is no host; write a name such as api.example.org or *.example.org:443", host)
	}
	return ""
}

// checkPlace accepts paths that mean the same in every folder. All of the home or the root would open or hide too much.
func checkPlace(p string) string {
	clean := path.Clean(p)
	switch {
	case clean == "/" || clean == "~":
		return fmt.Sprintf("%q is everything; name what is meant below it", p)
	case !path.IsAbs(clean) && !strings.HasPrefix(clean, "~/"):
		return fmt.Sprintf("%q is not absolute; write /… or ~/…", p)
	}
	return ""
}

func (r *reader) review(c *Review, v value) {
	r.mapping(v, []field{
		{"architecture", r.list(&c.Architecture, noCheck)},
		{"standards", r.list(&c.Standards, noCheck)},
		{"secrets", r.flag(&c.Secrets)},
	})
}

func (r *reader) profiles(dst *map[string]Profile) func(value) {
	return func(v value) {
		all := map[string]Profile{}
		for _, e := range r.entries(v) {
			name := e.name
			if reason := checkName(name); reason != "" {
				r.faultAt(e.value, reason)
				continue
			}
			p := Profile{Name: name}
			r.profile(&p, e.value)
			all[name] = p
		}
		*dst = all
	}
}

func (r *reader) profile(p *Profile, v value) {
	r.mapping(v, []field{
		{"command", r.command(&p.Command)},
		{"prompt", r.choice(&p.Prompt, "argument", "stdin", "file")},
		{"resume", r.command(&p.Resume)},
		{"output", r.choice(&p.Output, "text", "stream-json", "json", "acp")},
		{"env", r.environment(&p.Env)},
		{"pass_env", r.list(&p.PassEnv, checkVariable)},
	})
}

func (r *reader) stall(dst map[string]Span) func(value) {
	return func(v value) {
		var fields []field
		for _, kind := range []string{Quick, Standard, Research, Orchestration} {
			fields = append(fields, field{kind, func(v value) {
				s := dst[kind]
				r.span(&s)(v)
				dst[kind] = s
			}})
		}
		r.mapping(v, fields)
	}
}

// A check looks at one string of a list and returns what is wrong with it, or "".
type check func(string) string

func noCheck(string) string { return "" }

func checkConfirmer(name string) string {
	if slices.Contains(Confirmers(), name) {
		return ""
	}
	return fmt.Sprintf("%q is no checker; name some of %s", name, strings.Join(Confirmers(), ", "))
}

// checkInside keeps what is copied into worktrees below the repository's root.
func checkInside(p string) string {
	slashed := strings.ReplaceAll(p, `\`, "/")
	drive := len(slashed) > 1 && slashed[1] == ':'
	clean := path.Clean(slashed)
	switch {
	case drive || path.IsAbs(slashed):
		return fmt.Sprintf("%q is absolute; name a path below the repository's root", p)
	case clean == "..", strings.HasPrefix(clean, "../"):
		return fmt.Sprintf("%q leaves the repository", p)
	case clean == ".":
		return fmt.Sprintf("%q is the whole repository; name what to copy", p)
	}
	return ""
}

// checkVariable accepts the names that an environment can carry
// and keeps the names of the tool itself out of the user's hands.
func checkVariable(name string) string {
	switch {
	case name == "" || strings.ContainsAny(name, "= \t\r\n\x00"):
		return fmt.Sprintf("%q is not the name of an environment variable", name)
	case strings.HasPrefix(name, "DELEGATE_"):
		return fmt.Sprintf("%q is reserved: names that begin with DELEGATE_ are set for each agent", name)
	}
	return ""
}

// checkName accepts profile names, which are typed in commands and plans
// and stand in file names.
func checkName(name string) string {
	ok := name != "" && len(name) <= 64
	for i, c := range []byte(name) {
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		ok = ok && (alnum || i > 0 && (c == '-' || c == '_' || c == '.'))
	}
	if !ok {
		return fmt.Sprintf("%q is no profile name; use letters, digits, and - _ . after the first", name)
	}
	return ""
}
