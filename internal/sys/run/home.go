package run

import (
	"context"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// AccountHome is the home of the account under which this process runs, as the system has it: the variable HOME is
// whatever the one who started the process made of it. It is all there is where the system does not know the account.
func AccountHome() string {
	id := strconv.Itoa(os.Getuid())
	// Not user.Current: where the account is not found, that answers with the variable.
	if account, err := user.LookupId(id); err == nil && filepath.IsAbs(account.HomeDir) {
		return account.HomeDir
	}
	if home := directoryHome(id); home != "" {
		return home
	}
	if runtime.GOOS == "windows" { // accounts have no numbers there
		if account, err := user.Current(); err == nil && filepath.IsAbs(account.HomeDir) {
			return account.HomeDir
		}
	}
	home, _ := os.UserHomeDir() // "" where there is none
	return home
}

// directoryLimit is how long a directory service may take to answer.
const directoryLimit = 5 * time.Second

// directoryHome is the home of an account of a directory service, such as LDAP, which a static build cannot ask itself;
// "" if the system does not know it. Who started this process could have put another getent into PATH.
func directoryHome(id string) string {
	for _, program := range []string{"/usr/bin/getent", "/bin/getent"} {
		if _, err := os.Stat(program); err != nil {
			continue
		}
		out, err := Output(context.Background(), Command{Path: program, Args: []string{"passwd", id}, Dir: "/",
			Env: []string{}, Limit: directoryLimit})
		if err != nil {
			return ""
		}
		line, _, _ := strings.Cut(string(out), "\n")
		const number, home = 2, 5 // of the fields of a line of /etc/passwd
		if fields := strings.Split(line, ":"); len(fields) > home && fields[number] == id &&
			filepath.IsAbs(fields[home]) {
			return fields[home]
		}
		return ""
	}
	return ""
}
