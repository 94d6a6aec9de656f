package gocheck

import (
	"bufio"
	"bytes"
	"go/build"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// goroot is the folder of the Go installation with its sources: the known one, or that of the go
// program in a list of folders. "" if there is none.
func goroot(known, list string) string {
	if hasSources(known) {
		return known
	}
	name := "go"
	if runtime.GOOS == "windows" {
		name = "go.exe"
	}
	for _, folder := range filepath.SplitList(list) {
		program, err := filepath.EvalSymlinks(filepath.Join(folder, name))
		if err != nil {
			continue
		}
		if root := filepath.Dir(filepath.Dir(program)); hasSources(root) {
			return root
		}
	}
	return ""
}

func hasSources(root string) bool {
	info, err := os.Stat(filepath.Join(root, "src", "fmt"))
	return root != "" && err == nil && info.IsDir()
}

// modCache is the folder of downloaded modules, "" if nothing says where it is.
func modCache() string {
	if folder := goEnv("GOMODCACHE"); folder != "" {
		return folder
	}
	all := goEnv("GOPATH")
	if all == "" {
		all = build.Default.GOPATH
	}
	list := filepath.SplitList(all)
	if len(list) == 0 || list[0] == "" {
		return ""
	}
	return filepath.Join(list[0], "pkg", "mod")
}

// goEnv is a setting of the go command: of the environment, or of the file that "go env -w" writes.
func goEnv(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	file := os.Getenv("GOENV")
	if file == "" {
		folder, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		file = filepath.Join(folder, "go", "env")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if key, value, found := strings.Cut(lines.Text(), "="); found && key == name {
			return value
		}
	}
	return ""
}
