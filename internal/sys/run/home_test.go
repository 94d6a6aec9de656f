//go:build linux

package run

import (
	"os"
	"os/user"
	"strconv"
	"testing"
)

// TestAccountHome holds that the variables of a process do not decide where its account's home is, also where only a
// directory service knows the account.
func TestAccountHome(t *testing.T) {
	id := strconv.Itoa(os.Getuid())
	account, err := user.LookupId(id)
	if err != nil {
		t.Skip("this system does not know who runs the test: ", err)
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	if home := AccountHome(); home != account.HomeDir {
		t.Errorf("home %q, want %q", home, account.HomeDir)
	}
	if _, err := os.Stat("/usr/bin/getent"); err != nil {
		t.Skip(err)
	}
	if home := directoryHome(id); home != account.HomeDir {
		t.Errorf("home by the directory %q, want %q", home, account.HomeDir)
	}
	if home := directoryHome("2147483001"); home != "" {
		t.Errorf("nobody's home %q", home)
	}
}
