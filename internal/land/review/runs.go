package review

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// RuleRuns is the rule that names what runs by itself once it is merged.
const RuleRuns = "runs by itself"

// starter is a file that some program runs, or takes orders from, without being asked.
// A file with a "/" at its end is a folder; one without any is looked for in every folder.
type starter struct{ by, files string }

func starters() []starter {
	return []starter{
		{"the editor runs or obeys it when the folder is opened", `.vscode/tasks.json .vscode/settings.json
			.vscode/launch.json .vscode/mcp.json .idea/startup.xml .devcontainer/ .devcontainer.json .gitpod.yml .exrc
			.nvim.lua .vimrc .dir-locals.el`},
		{"the shell's hook runs it when somebody enters the folder", ".envrc .mise.toml mise.toml .mise/ .autoenv"},
		{"git runs it as a hook where hooks are installed", `.githooks/ .husky/ .hooks/ lefthook.yml .lefthook.yml
			.pre-commit-config.yaml`},
		{"the CI service runs it after a push", `.github/workflows/ .github/actions/ .gitlab-ci.yml .circleci/
			.buildkite/ azure-pipelines.yml Jenkinsfile .travis.yml bitbucket-pipelines.yml .drone.yml .woodpecker/
			.woodpecker.yml appveyor.yml cloudbuild.yaml`},
		{"agent programs obey it", `.mcp.json CLAUDE.md AGENTS.md GEMINI.md .claude/ .codex/ .gemini/ .cursor/
			.cursorrules .windsurfrules .opencode/ opencode.json .github/copilot-instructions.md .delegate.yaml`},
		{"the package manager runs or obeys it at an install or a build", `binding.gyp .npmrc .yarnrc .yarnrc.yml
			.yarn/ .pnpmfile.cjs setup.py build.rs .cargo/config.toml .bazelrc`},
		{"Python runs it at every start", "sitecustomize.py usercustomize.py"},
	}
}

// has says whether the list of files has the path.
func (s starter) has(name string) bool {
	return slices.ContainsFunc(strings.Fields(s.files), func(file string) bool {
		if strings.HasSuffix(file, "/") {
			return strings.Contains("/"+name, "/"+file)
		}
		return strings.HasSuffix("/"+name, "/"+file)
	})
}

// scripts are the names of a manifest's scripts that an install runs.
func scripts() map[string]string {
	return map[string]string{
		"package.json": "preinstall install postinstall prepublish preprepare prepare postprepare",
		"composer.json": "pre-install-cmd post-install-cmd pre-update-cmd post-update-cmd pre-autoload-dump " +
			"post-autoload-dump post-root-package-install post-create-project-cmd",
	}
}

// running names the files, new or changed, that something runs or obeys without a person who starts it.
func running(w *work) ([]Remark, error) {
	var all []Remark
	for _, f := range w.Changes {
		if f.NewMode == 0 {
			continue
		}
		if i := slices.IndexFunc(starters(), func(s starter) bool { return s.has(f.Path) }); i >= 0 {
			all = append(all, Remark{Severity: Warning, Path: f.Path, Text: starters()[i].by})
		}
		list := strings.Fields(scripts()[path.Base(f.Path)])
		if len(list) == 0 || !isText(f) || !fs.ValidPath(f.Path) {
			continue
		}
		data, _, err := w.text(w.After, f.Path)
		if err != nil {
			return nil, err
		}
		old, err := w.before(f)
		if err != nil {
			return nil, err
		}
		now, before := scriptsIn(data), scriptsIn(old)
		for _, name := range slices.Sorted(maps.Keys(now)) {
			if slices.Contains(list, name) && now[name] != before[name] {
				all = append(all, Remark{Severity: Warning, Path: f.Path,
					Text: fmt.Sprintf("an install runs its script %q", name)})
			}
		}
	}
	return all, nil
}

// scriptsIn are the scripts of a manifest in JSON, by name; none of one that cannot be read.
func scriptsIn(manifest []byte) map[string]string {
	var m struct {
		Scripts map[string]json.RawMessage `json:"scripts"`
	}
	if json.Unmarshal(manifest, &m) != nil {
		return nil
	}
	all := map[string]string{}
	for name, text := range m.Scripts {
		all[name] = string(text)
	}
	return all
}
