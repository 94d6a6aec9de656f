package run

import (
	"os"
	"os/user"
	"path/filepath"
)

// AccountHome is the home of the account under which this process runs, as the system has it: the variable HOME is
// whatever the one who started the process made of it. It is all there is where the system does not know the account.
func AccountHome() string {
	if account, err := user.Current(); err == nil && filepath.IsAbs(account.HomeDir) {
		return account.HomeDir
	}
	home, _ := os.UserHomeDir() // "" where there is none
	return home
}
