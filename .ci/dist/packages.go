package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// about is what packages say of the program.
const about = "Gives tasks to coding agents in git worktrees, and merges their work under supervision"

// places are where a package of Linux has the texts, by how their names begin.
func place(name string) string {
	switch path.Base(name) {
	case "delegate.bash":
		return "/usr/share/bash-completion/completions/delegate"
	case "_delegate":
		return "/usr/share/zsh/vendor-completions/_delegate"
	case "delegate.fish":
		return "/usr/share/fish/vendor_completions.d/delegate.fish"
	case "LICENSE":
		return "/usr/share/doc/delegate/copyright"
	}
	if strings.HasPrefix(name, "man/") {
		return "/usr/share/" + name
	}
	return ""
}

// packages makes those for dpkg and rpm. Git comes with them.
func (r *release) packages(m made) error {
	type content struct {
		Src  string         `json:"src"`
		Dst  string         `json:"dst"`
		Info map[string]any `json:"file_info"`
	}
	at := r.date.Format(time.RFC3339)
	contents := []content{{m.path, "/usr/bin/delegate", map[string]any{"mode": 0o755, "mtime": at}}}
	for i, f := range r.shared {
		to := place(f.name)
		if to == "" {
			continue
		}
		from := filepath.Join(r.work, fmt.Sprintf("shared%d", i))
		if err := os.WriteFile(from, f.data, f.mode); err != nil {
			return err
		}
		contents = append(contents, content{from, to, map[string]any{"mode": 0o644, "mtime": at}})
	}
	// What is JSON is YAML as well.
	config, err := json.Marshal(map[string]any{
		"name": "delegate", "arch": m.arch, "platform": "linux", "version": r.version, "mtime": at,
		"maintainer": "The authors of delegate <delegate@localhost>", "description": about, "license": "MIT",
		"section": "devel", "priority": "optional", "depends": []string{"git"}, "contents": contents,
		"rpm": map[string]any{"buildhost": "localhost"},
	})
	if err != nil {
		return err
	}
	list := filepath.Join(r.work, "nfpm.yaml")
	if err := os.WriteFile(list, config, 0o644); err != nil {
		return err
	}
	for _, kind := range []string{"deb", "rpm"} {
		to := filepath.Join(r.to, "delegate_"+r.version+"_"+m.name()+"."+kind)
		if _, err := output([]string{"GOFLAGS=", "GOOS=", "GOARCH="}, "go", "run", nfpm, "package", "--config", list,
			"--packager", kind, "--target", to); err != nil {
			return err
		}
	}
	return nil
}

// npmScript starts the program that npm has put beside it for this machine.
const npmScript = `#!/usr/bin/env node
const { spawnSync } = require("child_process");
const name = "%s-" + process.platform + "-" + process.arch;
const file = process.platform === "win32" ? "delegate.exe" : "delegate";
let program;
try {
  program = require.resolve(name + "/bin/" + file);
} catch {
  console.error("delegate: the package " + name + " is not installed; is this system one of those that are built for?");
  process.exit(1);
}
const ran = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (ran.error) {
  console.error("delegate: " + ran.error.message);
  process.exit(1);
}
if (ran.signal) process.kill(process.pid, ran.signal);
process.exit(ran.status === null ? 1 : ran.status);
`

// packNPM makes one package for each system, and one that starts the program of the machine's own. Nothing runs and
// nothing is loaded while they are installed.
func (r *release) packNPM() error {
	optional := map[string]string{}
	for _, m := range r.made {
		name := r.npm + "-" + m.npm
		optional[name] = r.version
		program, err := os.ReadFile(m.path)
		if err != nil {
			return err
		}
		system, processor, _ := strings.Cut(m.npm, "-")
		if err := r.npmPackage(name, map[string]any{"os": []string{system}, "cpu": []string{processor}},
			file{"bin/" + m.program(), program, 0o755}); err != nil {
			return err
		}
	}
	return r.npmPackage(r.npm, map[string]any{"bin": map[string]string{"delegate": "bin/delegate.js"},
		"optionalDependencies": optional}, file{"bin/delegate.js", fmt.Appendf(nil, npmScript, r.npm), 0o755})
}

func (r *release) npmPackage(name string, what map[string]any, program file) error {
	what["name"], what["version"], what["description"], what["license"] = name, r.version, about, "MIT"
	data, err := json.MarshalIndent(what, "", "  ")
	if err != nil {
		return err
	}
	files := []file{{"package.json", data, 0o644}, program}
	for _, f := range r.shared {
		if f.name == "LICENSE" || f.name == "README.md" {
			files = append(files, f)
		}
	}
	stem := strings.NewReplacer("@", "", "/", "-").Replace(name) // as npm itself names them
	return writeTar(filepath.Join(r.to, stem+"-"+r.version+".tgz"), "package", files, r.date)
}

// formula writes the one for Homebrew, which needs the address of the archives.
func (r *release) formula() error {
	if r.releases == "" {
		fmt.Println("no formula for Homebrew: -releases does not say where the files will be")
		return nil
	}
	var f strings.Builder
	fmt.Fprintf(&f, "class Delegate < Formula\n  desc %q\n  homepage %q\n  version %q\n  license \"MIT\"\n", about,
		r.releases, r.version)
	f.WriteString("  depends_on \"git\"\n\n")
	for _, m := range r.made {
		system, is := map[string]string{"linux": "linux", "darwin": "macos"}[m.os]
		if !is {
			continue
		}
		processor := map[string]string{"amd64": "intel", "arm64": "arm"}[m.arch]
		sum, err := digest(filepath.Join(r.to, m.archive))
		if err != nil {
			return err
		}
		fmt.Fprintf(&f, "  on_%s do\n    on_%s do\n      url \"%s/%s\"\n      sha256 %q\n    end\n  end\n\n", system,
			processor, r.releases, m.archive, sum)
	}
	f.WriteString("  def install\n    bin.install \"delegate\"\n    man1.install Dir[\"man/man1/*\"]\n" +
		"    bash_completion.install \"completions/delegate.bash\" => \"delegate\"\n" +
		"    zsh_completion.install \"completions/_delegate\"\n" +
		"    fish_completion.install \"completions/delegate.fish\"\n  end\n\n" +
		"  test do\n    assert_match version.to_s, shell_output(\"#{bin}/delegate version\")\n  end\nend\n")
	return os.WriteFile(filepath.Join(r.to, "delegate.rb"), []byte(f.String()), 0o644)
}

// installer puts install.sh beside the files, with their address where it is known.
func (r *release) installer() error {
	script, err := os.ReadFile(".ci/install.sh")
	if err != nil {
		return err
	}
	known := strings.Replace(string(script), "\nreleases=\n", "\nreleases='"+r.releases+"'\n", 1)
	if r.releases != "" && known == string(script) {
		return errors.New(".ci/install.sh has no line for the address of releases")
	}
	return os.WriteFile(filepath.Join(r.to, "install.sh"), []byte(known), 0o755)
}
