package delegate

import (
	"go/ast"
	"go/token"
	"slices"
)

// starts are the functions that start another program themselves, "folder:Receiver.Name", each with
// the reason why nothing that an agent wrote becomes its argument, folder, configuration or name
// outside of a fence. What runs on agents' files goes through keeper.Fence, whose Group and Run are
// the way for all others.
func starts() map[string]string {
	const (
		fenced = "this is the fence"
		git    = "git, with the settings of internal/git over those of a tree; what opens files of an agent's " +
			"checkout goes by Repo.Within"
		keys   = "the person's ssh-keygen; what is signed comes on its input, a signature in a file of ours"
		engine = "a command of the person's engine, with names of ours and of their configuration"
		ours   = "this program itself, by words of the person's and of our own"
	)
	return map[string]string{
		"internal/turn/keeper:Fence.Group":       fenced,
		"internal/turn/keeper:Fence.start":       fenced,
		"internal/fence/sandbox:enter":           fenced,
		"internal/turn/keeper:initProcess.start": "inside of the fence",
		"internal/turn/acp:turn.run":             "inside of the fence",
		"internal/fence/guard:staged":            "inside of the fence, as a hook of the agent's git",
		"internal/fence/guard:isJoining":         "inside of the fence, as a hook of the agent's git",
		"internal/turn/keeper:Turn.Start":        ours,
		"internal/engine:slurm.ask":              engine,
		"internal/engine:kubernetes.ask":         engine,
		"internal/engine:slurm.dryRun":           engine,
		"internal/engine:Ask":                    engine,
		"internal/engine/remote:listener.stream": engine,
		"internal/engine/remote:joinGit":         engine,
		"internal/git:Serve":                     git,
		"internal/turn/keeper:Turn.Foreground":   ours,
		"internal/turn/agent:versionOf":          "a built-in agent program as it is installed, for its version",
		"internal/fence/sandbox:Detect":          ours,
		"internal/plan/setup:hasModule":          "the person's python, which looks into no folder of the repository",
		"internal/turn/turnsetup:checkHook":      ours,
		"internal/supervise:Launch":              ours,
		"internal/land/analyze:Analysis.start": "this program itself behind Fence.Around; what agents wrote comes " +
			"through its pipe",
		"internal/mcp:command":               "this program itself; a parent agent's words are checked as a person's",
		"cmd/delegate:inBackground":          ours,
		"cmd/delegate:conflictsInBackground": ours,
		"cmd/delegate:app.demoCopy":          ours,
		"cmd/delegate:demonstration.call":    ours,
		"cmd/delegate:app.atTerminal":        ours,
		"cmd/delegate:app.edit": "the person's editor, on a terminal, with the whole path of a file of " +
			"ours or the person's",
		"cmd/delegate:openFolder":  "the person's editor, on a terminal, with the whole path of an agent's worktree",
		"cmd/delegate:pageThrough": "the person's pager, on a terminal, with the whole path of a file of ours",
		"internal/sys/notify:Options.start": "the person's command or the desktop's; an agent's words come as a " +
			"document on its input, or as an argument that is no option",
		"internal/land:messageBy": "the person's hook as it is before the landing; it gets a file with the message",
		"internal/land:runAfter":  "the person's hook, unless the landing changes it",
		"internal/git:Repo.RunTool": "the person's merge tool, on a terminal, in a folder made for it, with a " +
			"name that is no option",
		"internal/land/forge:github.call": "the person's gh; others' words stand behind an equals sign or come on " +
			"its input",
		"internal/git/gittest:Repo.try":         "git, in tests",
		"internal/git/gittest:Repo.KilledAfter": "the test binary, in tests",
		"internal/land/approval:Keys.Sign":      keys,
		"internal/land/approval:Keys.ask":       keys,
		"internal/git:answered":                 git,
		"internal/git:streamed":                 git,
		"internal/git:PersonsSetting":           git,
		"internal/git:Repo.openBlobs":           git,
		"internal/git:Repo.Import":              git,
	}
}

// started are the places of a file in which a program is started, by the key of the function around them.
func started(s source) map[string][]token.Pos {
	all := map[string][]token.Pos{}
	for _, d := range s.tree.Decls {
		key := s.folder + ":"
		if f, ok := d.(*ast.FuncDecl); ok {
			key += receiver(f) + f.Name.Name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && startsProgram(sel) {
				all[key] = append(all[key], sel.Pos())
			}
			return true
		})
	}
	return all
}

// receiver is the type that a method belongs to, with a dot behind it; "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}

// startsAreListed refuses every start of a program in a function that is not listed, also one that
// is only handed on as a value.
func startsAreListed(s source) (wrong []string) {
	if s.isTest() || s.folder == "internal/sys/run" {
		return nil
	}
	for spec, name := range imports(s.tree) {
		if name == module+"internal/sys/run" && spec.Name != nil {
			wrong = append(wrong, s.at(spec.Pos(),
				"internal/sys/run has its own name everywhere, or nobody sees what is started"))
		}
	}
	for key, places := range started(s) {
		if _, listed := starts()[key]; listed {
			continue
		}
		for _, at := range places {
			wrong = append(wrong, s.at(at, "starts a program: let keeper.Fence do it, or list %q with the reason why "+
				"no agent's words reach it", key))
		}
	}
	return wrong
}

// unstarted lists the functions that are in the list of starts and start nothing.
func unstarted(files []source) (wrong []string) {
	seen := map[string]bool{}
	for _, s := range files {
		seen[s.folder] = true
		for key := range started(s) {
			seen[key] = true
		}
	}
	for key := range starts() {
		if !seen[key] {
			wrong = append(wrong, key+" is listed among the starts and starts nothing")
		}
	}
	return wrong
}

// startsProgram tells the ways to start a program, or to become one.
func startsProgram(sel *ast.SelectorExpr) bool {
	ways := map[string][]string{
		"run":     {"Output", "Do", "Group", "Stream", "StartPiped", "Detach", "Foreground", "Keep"},
		"os":      {"StartProcess"},
		"syscall": {"Exec", "ForkExec", "StartProcess"},
		"unix":    {"Exec"},
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && slices.Contains(ways[pkg.Name], sel.Sel.Name)
}

// unlistedStarts are sources in which a checker runs on a tree of an agent's without a fence.
func unlistedStarts() []string {
	const imported = "import \"delegate/internal/sys/run\"\n"
	return []string{
		imported + "func ask() { err = run.Group(ctx, run.Command{Path: tsc, Dir: folder}) }",
		imported + "func ask() { start := run.Output; start(ctx, c) }",
		imported + "var start = run.Do",
		"import started \"delegate/internal/sys/run\"\nfunc ask() { started.Do(ctx, c) }",
		"import \"syscall\"\nfunc ask() { syscall.Exec(tsc, nil, nil) }",
	}
}
