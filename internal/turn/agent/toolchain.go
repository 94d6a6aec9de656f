package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/fence/sandbox"
	"delegate/internal/sys/run"
)

// toolchains are the places of a home in which compilers, their versions and what they fetched usually lie, beside
// those of usual. What of them is a login is hidden all the same.
var toolchains = []string{
	".rustup", ".nvm", ".fnm", ".volta", ".nodenv", ".n", ".pyenv", ".rye", ".rbenv", ".rvm", ".gem", ".bundle",
	".goenv", ".gvm", "sdk", "go/bin", ".jenv", ".sdkman", ".asdf", ".tool-versions", ".asdfrc", ".dotnet", ".ghcup",
	".opam", ".elan", ".juliaup", ".julia", ".mix", ".hex", ".composer", ".phpenv", ".conan2", ".vcpkg", ".swiftpm",
	".zvm", ".local/bin", ".local/lib", ".local/pipx", ".local/share/pipx", ".local/share/uv", ".local/share/mise",
	".local/share/rtx", ".local/share/fnm", ".local/share/virtualenvs", ".local/share/hatch", ".local/share/gem",
	".local/share/claude", ".local/share/cursor-agent", ".local/share/swiftly", ".local/share/coursier",
	".config/go", ".config/mise", ".config/pnpm", ".config/pypoetry",
}

// caches are the names below .cache of tools that build and test. What others keep there, such as browsers, mail
// programs and viewers of pictures, is the person's.
var caches = []string{
	"go-build", "golangci-lint", "staticcheck", "goimports", "gopls", "pip", "uv", "pypoetry", "pdm", "hatch",
	"pipenv", "pre-commit", "virtualenv", "ruff", "mypy", "black", "numba", "matplotlib", "fontconfig", "torch",
	"huggingface", "yarn", "pnpm", "npm", "node", "node-gyp", "deno", "esbuild", "turbo", "typescript", "prisma",
	"puppeteer", "ms-playwright", "ms-playwright-go", "Cypress", "electron", "electron-builder", "pyright-python",
	"sccache", "ccache", "clangd", "zig", "bazel", "bazelisk", "buck2", "vcpkg", "conan", "cabal", "coursier", "mill",
	"scala-cli", "org.swift.swiftpm", "composer", "phpstan", "rubocop_cache", "hex", "rebar3", "dart", "pub", "jedi",
}

// moved are the variables that name the place of a toolchain, a cache or a certificate.
var moved = []string{"GOROOT", "RUSTUP_HOME", "NVM_DIR", "PYENV_ROOT", "JAVA_HOME", "ANDROID_HOME", "SSL_CERT_FILE",
	"SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}

// Needs are the places below the person's folders that programs of a build read: toolchains and caches where they
// usually lie and where the environment says, the folders of PATH, and what the programs in them belong to.
func Needs(home string, env []string) []string {
	n := needs{home: home, personal: sandbox.Personal(home)}
	if home != "" {
		for _, name := range slices.Concat(usual(), toolchains) {
			n.add(filepath.Join(home, filepath.FromSlash(name)))
		}
	}
	for _, name := range slices.Concat(layered(), moved) {
		n.add(run.Variable(env, name))
	}
	for _, folder := range filepath.SplitList(run.Variable(env, "GOPATH")) {
		n.add(filepath.Join(folder, "pkg"))
		n.add(filepath.Join(folder, "bin"))
	}
	for _, folder := range filepath.SplitList(run.Variable(env, "PATH")) {
		n.programs(folder)
	}
	return n.found
}

// OtherCaches are the person's caches of programs that build nothing.
func OtherCaches(home string) (all []string) {
	folder := filepath.Join(home, ".cache")
	entries, err := os.ReadDir(folder)
	if home == "" || err != nil {
		return nil
	}
	for _, e := range entries {
		if !slices.Contains(caches, e.Name()) {
			all = append(all, filepath.Join(folder, e.Name()))
		}
	}
	return all
}

// ProgramFiles are the files that a command names by their whole paths, and what its program belongs to.
func ProgramFiles(home string, command []string) []string {
	n := needs{home: home, personal: sandbox.Personal(home)}
	for i, word := range command {
		if !filepath.IsAbs(word) || !exists(word) {
			continue
		}
		n.add(word)
		if i == 0 {
			n.program(word)
		}
	}
	return n.found
}

type needs struct {
	home     string
	personal []string
	found    []string
}

// add takes a place that is there, unless all of a person's files are in it.
func (n *needs) add(path string) {
	path = filepath.Clean(path)
	if filepath.IsAbs(path) && !n.wide(path) && exists(path) && !slices.Contains(n.found, path) {
		n.found = append(n.found, path)
	}
}

// wide reports whether a folder is for more than one installation.
func (n *needs) wide(folder string) bool {
	if sandbox.Contains(folder, n.home) || slices.Contains(n.personal, folder) {
		return true
	}
	return slices.Contains([]string{".local", ".local/share", ".local/state", ".config", ".cache", "go"},
		strings.TrimPrefix(folder, n.home+"/"))
}

// mostPrograms bounds how many entries of one folder of PATH are looked at.
const mostPrograms = 20_000

// programs takes a folder of programs with what it belongs to, and what links in it lead to.
func (n *needs) programs(folder string) {
	if !filepath.IsAbs(folder) {
		return
	}
	n.add(folder)
	n.add(installation(folder))
	dir, err := os.Open(folder)
	if err != nil {
		return
	}
	defer dir.Close()
	entries, err := dir.ReadDir(mostPrograms)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			n.program(filepath.Join(folder, e.Name()))
		}
	}
}

// program takes what the file of a program belongs to.
func (n *needs) program(path string) {
	file, err := filepath.EvalSymlinks(path)
	if err != nil || !slices.ContainsFunc(n.personal, func(p string) bool { return sandbox.Contains(p, file) }) {
		return // a link to nothing, or a file of the system
	}
	n.add(file)
	n.add(installation(filepath.Dir(file)))
}

// installation is the folder to which one with programs belongs: that of the node modules in which it lies, or the
// one that has their libraries beside them. "" where none can be told, and for a checkout, in which people work.
func installation(folder string) string {
	if before, _, found := strings.Cut(folder+"/", "/node_modules/"); found {
		return filepath.Join(before, "node_modules")
	}
	above := filepath.Dir(folder)
	if !slices.Contains([]string{"bin", "sbin", "shims", "libexec", "Scripts"}, filepath.Base(folder)) ||
		exists(filepath.Join(above, ".git")) {
		return ""
	}
	for _, name := range []string{"lib", "lib64", "libexec", "share", "pkg"} {
		if exists(filepath.Join(above, name)) {
			return above
		}
	}
	return ""
}
