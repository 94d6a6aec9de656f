package config

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"delegate/internal/text/budget"

	"github.com/goccy/go-yaml/ast"
)

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

// checkHomeFile accepts files that have the same place in every home.
func checkHomeFile(p string) string {
	below, inside := strings.CutPrefix(p, "~/")
	if clean := path.Clean(below); !inside || below != clean || clean == "." || strings.HasPrefix(clean, "..") {
		return fmt.Sprintf("%q is no file below your home; write ~/…", p)
	}
	return ""
}

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

// checkRevision keeps what is written in the place of a revision from being an option or a range.
func checkRevision(revision string) string {
	if strings.HasPrefix(revision, "-") || strings.ContainsAny(revision, " \t") || strings.Contains(revision, "..") {
		return fmt.Sprintf("%q names no commit; write a branch, a tag or a commit", revision)
	}
	return ""
}

func checkDate(text string) string {
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return fmt.Sprintf("%q is no day; write it like 2026-01-31", text)
	}
	return ""
}

// checkFolder refuses a path that a shell would read otherwise.
func checkFolder(p string) string {
	if p == "~" || strings.HasPrefix(p, "~/") {
		return fmt.Sprintf("%q: ~ is not expanded; write the whole path", p)
	}
	return ""
}

func (r *reader) config(c *Config, v value) {
	r.mapping(v, append([]field{
		{"agent", r.text(&c.Agent, checkName)},
		{"profiles", r.profiles(&c.Profiles)},
		{"base", r.text(&c.Base, checkRevision)},
		{"planner", r.text(&c.Planner, checkName)},
		{"planner_timeout", scalar(r, &c.PlannerTimeout, parseSpan)},
		{"max_parallel_agents", scalar(r, &c.MaxParallelAgents, parseCount)},
		{"agent_timeout", scalar(r, &c.AgentTimeout, parseSpan)},
		{"checkpoint_interval", scalar(r, &c.CheckpointInterval, parseSpan)},
		{"permission_wait", scalar(r, &c.PermissionWait, parseSpan)},
		{"end_after", scalar(r, &c.EndAfter, parseSpan)},
		{"scope_limit", scalar(r, &c.ScopeLimit, parseCount)},
		{"turn_limit", scalar(r, &c.TurnLimit, parseCount)},
		{"prices", r.prices(&c.Prices)},
		{"allowed_roots", r.list(&c.AllowedRoots, noCheck)},
		{"forbidden", r.list(&c.Forbidden, noCheck)},
		{"restricted", r.list(&c.Restricted, noCheck)},
		{"verify", r.verify(c)},
		{"verify_env", r.list(&c.VerifyEnv, checkVariable)},
		{"verify_timeout", scalar(r, &c.VerifyTimeout, parseSpan)},
		{"verify_runs", scalar(r, &c.VerifyRuns, parseBetween(0, 1000))},
		{"confirm", r.named(&c.Confirm, checkConfirmer)},
		{"confirm_timeout", scalar(r, &c.ConfirmTimeout, parseSpan)},
		{"analysis_limit", scalar(r, &c.AnalysisLimit, parseSpan)},
		{"setup", r.list(&c.Setup, noCheck)},
		{"copy", r.list(&c.Copy, checkInside)},
		{"stall", r.stall(c.Stall)},
		{"nudge_grace", scalar(r, &c.NudgeGrace, parseSpan)},
		{"stop_grace", scalar(r, &c.StopGrace, parseSpan)},
		{"worktree_dir", r.text(&c.WorktreeDir, checkFolder)},
		{"record", r.choice(&c.Record, RecordInTree, RecordPrivate)},
		{"dependencies", r.choice(&c.Dependencies, DependMerged, DependComplete)},
		{"supervision", r.choice(&c.Supervision, Supervised, SemiAutonomous)},
		{"approval", r.choice(&c.Approval, ApprovalByAnswer, ApprovalByKey)},
		{"notify", r.command(&c.Notify)},
		{"engines", r.engines(&c.Engines)},
		{"on", r.text(&c.On, noCheck)},
	}, r.sections(c)...))
	r.checkOn(c, v)
}

// sections are the keys that hold mappings of their own.
func (r *reader) sections(c *Config) []field {
	return []field{
		{"budget", section(r,
			field{"agent", r.amount(&c.Budget.Agent)},
			field{"session", r.amount(&c.Budget.Session)},
		)},
		{"review", section(r,
			field{"architecture", r.list(&c.Review.Architecture, noCheck)},
			field{"standards", r.list(&c.Review.Standards, noCheck)},
			field{"secrets", scalar(r, &c.Review.Secrets, parseFlag)},
		)},
		{"landing", section(r,
			field{"mode", r.choice(&c.Landing.Mode, LandByMerge, LandBySquash, LandByRebase, LandByPullRequest)},
			field{"forge", r.choice(&c.Landing.Forge, AutoForge, GitHub, Gitea, GitLab, NoForge)},
			field{"hooks", r.choice(&c.Landing.Hooks, SkipHooks, RunHooks)},
			field{"agent_trace", scalar(r, &c.Landing.AgentTrace, parseFlag)},
		)},
		{"sandbox", section(r,
			field{"level", r.choice(&c.Sandbox.Level, SandboxRequired, SandboxOff)},
			field{"read", r.choice(&c.Sandbox.Read, ReadHome, ReadByList)},
			field{"readable", r.list(&c.Sandbox.Readable, checkPlace)},
			field{"network", r.choice(&c.Sandbox.Network, NetworkOpen, NetworkNone, NetworkHosts)},
			field{"hosts", r.list(&c.Sandbox.Hosts, checkHost)},
			field{"writable", r.list(&c.Sandbox.Writable, checkPlace)},
			field{"hidden", r.list(&c.Sandbox.Hidden, checkPlace)},
			field{"sockets", r.list(&c.Sandbox.Sockets, checkPlace)},
			field{"scratch", r.list(&c.Sandbox.Scratch, checkInside)},
			field{"verify", scalar(r, &c.Sandbox.Verify, parseFlag)},
			field{"verify_network", r.choice(&c.Sandbox.VerifyNetwork, NetworkOpen, NetworkNone, NetworkHosts)},
			field{"limits", section(r,
				field{"memory", scalar(r, &c.Sandbox.Limits.Memory, parseBytes)},
				field{"processes", scalar(r, &c.Sandbox.Limits.Processes, parseCount)},
				field{"cpu_weight", scalar(r, &c.Sandbox.Limits.CPUWeight, parseBetween(0, 10000))},
			)},
		)},
		{"ports", section(r,
			field{"first", scalar(r, &c.Ports.First, parseBetween(1024, 65000))},
			field{"each", scalar(r, &c.Ports.Each, parseBetween(0, 1000))},
		)},
		{"limits", section(r,
			field{"file_size", scalar(r, &c.Limits.FileSize, parseSize)},
			field{"work_size", scalar(r, &c.Limits.WorkSize, parseSize)},
			field{"entries", scalar(r, &c.Limits.Entries, parseCount)},
		)},
	}
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

func (r *reader) profiles(dst *map[string]Profile) func(value) {
	return func(v value) {
		*dst = map[string]Profile{}
		for _, e := range r.entries(v) {
			if wrong := checkName(e.name); wrong != "" {
				r.faultAt(e.value, wrong)
				continue
			}
			var p Profile
			r.mapping(e.value, []field{
				{"command", r.command(&p.Command)},
				{"prompt", r.choice(&p.Prompt, "argument", "stdin", "file")},
				{"resume", r.command(&p.Resume)},
				{"takeover", r.command(&p.Takeover)},
				{"output", r.choice(&p.Output, "text", "stream-json", "json", "acp")},
				{"env", r.environment(&p.Env)},
				{"pass_env", r.list(&p.PassEnv, checkVariable)},
				{"mcp", r.list(&p.MCP, noCheck)},
				{"permissions", r.choice(&p.Permissions, PermissionsByScope, PermissionsAsk)},
				{"extends", scalar(r, &p.Extends, parseText)},
				{"model", scalar(r, &p.Model, parseText)},
				{"effort", scalar(r, &p.Effort, parseText)},
				{"login", r.list(&p.Login, checkHomeFile)},
				{"files", r.list(&p.Files, checkHomeFile)},
			})
			(*dst)[e.name] = p
		}
	}
}

// prices reads what a million tokens cost, by model.
func (r *reader) prices(dst *map[string]Price) func(value) {
	return func(v value) {
		*dst = map[string]Price{}
		for _, e := range r.entries(v) {
			p, cached, before := Price{}, -1.0, len(r.faults)
			r.mapping(e.value, []field{
				{"input", scalar(r, &p.Input, parsePrice)},
				{"cached", scalar(r, &cached, parsePrice)},
				{"output", scalar(r, &p.Output, parsePrice)},
				{"date", r.text(&p.Date, checkDate)},
			})
			if p.Cached = cached; cached < 0 {
				p.Cached = p.Input
			}
			if len(r.faults) == before && (p.Input == 0 && p.Output == 0 || p.Date == "") {
				r.faultAt(e.value, "needs input and output, in US$ for a million tokens, and the date of these "+
					"prices: {input: 1.25, cached: 0.13, output: 10, date: 2026-01-31}")
			}
			(*dst)[e.name] = p
		}
	}
}

// amount reads what may be used up: one sum, or a list of one of US dollars and one of tokens.
func (r *reader) amount(dst *budget.Amount) func(value) {
	return func(v value) {
		var parts []string
		for _, one := range v.elements() {
			if token := one.node.GetToken(); token != nil {
				parts = append(parts, token.Value)
			}
		}
		sum, err := budget.Parse(strings.Join(parts, ", "))
		if err != nil {
			r.faultAt(v, fmt.Sprintf("%q is no budget; %s; 0 turns the limit off", strings.Join(parts, ", "), err))
			return
		}
		*dst = sum
	}
}

func (r *reader) stall(dst map[string]Span) func(value) {
	var fields []field
	for _, kind := range []string{Quick, Standard, Research, Orchestration} {
		fields = append(fields, field{kind, func(v value) {
			s := dst[kind]
			scalar(r, &s, parseSpan)(v)
			dst[kind] = s
		}})
	}
	return section(r, fields...)
}
