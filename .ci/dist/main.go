// Command dist makes what is released, all of it from one list of targets: archives, packages, checksums and lists of parts.
// Two runs for one commit, in two folders, give the same bytes.
//
//	go run ./.ci/dist -o dist [-releases https://…/download/v0.2.0] [-npm @owner/delegate] [-only linux/amd64]
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// nfpm writes the packages of Linux. It is no part of the module.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4"

// target is a system to build for.
type target struct {
	os, arch string
	compiler string // for C, where one for this target may be installed
	npm      string // the system and the processor as npm names them
}

// targets is the list.
func targets() []target {
	return []target{
		{"linux", "amd64", "x86_64-linux-gnu-gcc", "linux-x64"},
		{"linux", "arm64", "aarch64-linux-gnu-gcc", "linux-arm64"},
		{"darwin", "amd64", "", "darwin-x64"},
		{"darwin", "arm64", "", "darwin-arm64"},
		{"windows", "amd64", "x86_64-w64-mingw32-gcc", "win32-x64"},
		{"windows", "arm64", "", "win32-arm64"},
	}
}

func (t target) name() string { return t.os + "_" + t.arch }

func (t target) program() string {
	if t.os == "windows" {
		return "delegate.exe"
	}
	return "delegate"
}

// release is one run.
type release struct {
	to, work, releases, npm string

	version string
	date    time.Time // of the commit, and of every file
	shared  []file    // what each archive has beside the program
	made    []made
}

// made is what was built for one target.
type made struct {
	target
	path    string // of the program
	archive string // its name
}

// file is one file of an archive.
type file struct {
	name string
	data []byte
	mode os.FileMode
}

func main() {
	log.SetFlags(0)
	r, only := release{}, ""
	flag.StringVar(&r.to, "o", "dist", "folder to write into, which is emptied")
	flag.StringVar(&r.releases, "releases", "", "address that the files will be under; without it there is no formula")
	flag.StringVar(&r.npm, "npm", "delegate-worktrees", "name of the package for npm")
	flag.StringVar(&only, "only", "", "targets with commas between, in place of all")
	flag.Parse()
	if err := r.run(only); err != nil {
		log.Fatal(err)
	}
}

func (r *release) run(only string) error {
	var err error
	if r.to, err = filepath.Abs(r.to); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "dist"); err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	if err := errors.Join(os.RemoveAll(r.to), os.MkdirAll(r.to, 0o755)); err != nil {
		return err
	}
	if err := r.describe(); err != nil {
		return err
	}
	for _, t := range targets() {
		if only != "" && !slices.Contains(strings.Split(only, ","), t.os+"/"+t.arch) {
			continue
		}
		if err := r.target(t); err != nil {
			return fmt.Errorf("%s/%s: %w", t.os, t.arch, err)
		}
	}
	for _, step := range []func() error{r.packNPM, r.formula, r.installer, r.checksums} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// describe asks git for the commit's date, and a program for this machine for its version and its texts.
func (r *release) describe() error {
	seconds, err := output(nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	r.date = time.Unix(unix, 0).UTC()
	if err := os.Setenv("SOURCE_DATE_EPOCH", seconds); err != nil { // also for what is started
		return err
	}
	here := filepath.Join(r.work, "here")
	if _, err := output([]string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-o", here, "./cmd/delegate"); err != nil {
		return err
	}
	said, err := output(nil, here, "version", "--json")
	if err != nil {
		return err
	}
	var is struct{ Version string }
	if err := json.Unmarshal([]byte(said), &is); err != nil {
		return err
	}
	r.version = is.Version
	return r.texts(here)
}

// texts are the files that are the same for all targets.
func (r *release) texts(program string) error {
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		if err := r.share(name, name); err != nil {
			return err
		}
	}
	for shell, name := range map[string]string{"bash": "delegate.bash", "zsh": "_delegate", "fish": "delegate.fish",
		"powershell": "delegate.ps1"} {
		script, err := output(nil, program, "completion", shell)
		if err != nil {
			return err
		}
		r.shared = append(r.shared, file{"completions/" + name, []byte(script + "\n"), 0o644})
	}
	pages := filepath.Join(r.work, "man1")
	if _, err := output(nil, program, "man", pages); err != nil {
		return err
	}
	all, err := os.ReadDir(pages)
	if err != nil {
		return err
	}
	for _, page := range all {
		if err := r.share("man/man1/"+page.Name(), filepath.Join(pages, page.Name())); err != nil {
			return err
		}
	}
	slices.SortFunc(r.shared, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return nil
}

func (r *release) share(name, path string) error {
	data, err := os.ReadFile(path)
	r.shared = append(r.shared, file{name, data, 0o644})
	return err
}

// target builds for one system and packs it.
func (r *release) target(t target) error {
	m := made{target: t, path: filepath.Join(r.work, t.name(), t.program())}
	how, args := m.build()
	if _, err := output(how, "go", append(args, "-o", m.path, "./cmd/delegate")...); err != nil {
		return err
	}
	program, err := os.ReadFile(m.path)
	if err != nil {
		return err
	}
	stem := "delegate_" + r.version + "_" + t.name()
	files := append([]file{{t.program(), program, 0o755}}, r.shared...)
	pack := writeTar
	m.archive = stem + ".tar.gz"
	if t.os == "windows" {
		m.archive, pack = stem+".zip", writeZip
	}
	if err := pack(filepath.Join(r.to, m.archive), stem, files, r.date); err != nil {
		return err
	}
	if err := r.parts(m, stem); err != nil {
		return err
	}
	r.made = append(r.made, m)
	fmt.Printf("%-36s %5.1f MB program, %s\n", m.archive, float64(len(program))/1e6, how[0])
	if t.os == "linux" {
		return r.packages(m)
	}
	return nil
}

// build is how to build for a target: with C where its compiler is here and CGO_ENABLED does not say 0, else without.
func (m made) build() (env, args []string) {
	env = []string{"CGO_ENABLED=0", "GOOS=" + m.os, "GOARCH=" + m.arch, "GOFLAGS="}
	args = []string{"build", "-trimpath", "-buildvcs=true"}
	compiler := m.compiler
	if m.os == runtime.GOOS && m.arch == runtime.GOARCH {
		compiler = "gcc" // the machine's own
		if m.os == "darwin" {
			compiler = "clang"
		}
	}
	if _, err := exec.LookPath(compiler); err != nil || os.Getenv("CGO_ENABLED") == "0" {
		return env, append(args, "-ldflags", "-s -w")
	}
	env[0] = "CGO_ENABLED=1"
	env = append(env, "CC="+compiler, "CGO_CFLAGS=-O2 -ffunction-sections -fdata-sections")
	if m.os == "darwin" { // whose linker has no static programs
		return env, append(args, "-ldflags", "-s -w")
	}
	return env, append(args, "-tags", "netgo,osusergo",
		"-ldflags", `-s -w -linkmode external -extldflags "-static -Wl,--gc-sections"`)
}

// parts writes what the program is made of, as CycloneDX: what the compiler wrote into it.
func (r *release) parts(m made, stem string) error {
	info, err := buildinfo.ReadFile(m.path)
	if err != nil {
		return err
	}
	if slices.Contains(info.Settings, debug.BuildSetting{Key: "vcs.modified", Value: "true"}) {
		return errors.New("the tree has changes that are in no commit")
	}
	type component struct {
		Type    string `json:"type"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl,omitempty"`
	}
	components := []component{{"framework", "go", strings.TrimPrefix(info.GoVersion, "go"), ""}}
	for _, d := range info.Deps {
		components = append(components, component{"library", d.Path, d.Version,
			"pkg:golang/" + d.Path + "@" + d.Version})
	}
	document := map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{"timestamp": r.date.Format(time.RFC3339),
			"component": component{"application", "delegate", r.version, ""}},
		"components": components,
	}
	data, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.to, stem+".cdx.json"), append(data, '\n'), 0o644)
}

// output runs a program and gives what it prints, without the last line break.
func output(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	data, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %q: %w\n%s", name, args, err, complaint.String())
	}
	return strings.TrimSuffix(string(data), "\n"), nil
}
