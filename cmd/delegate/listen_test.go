//go:build !windows

package main

import (
	"fmt"
	"net"
	"os"
	"time"
)

// listen is a server on a port of the agent's own: it says that it listens, and ends when the file is there.
func listen(args []string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:"+args[0])
	if err != nil {
		return err
	}
	defer listener.Close()
	fmt.Printf("listening on %s\n", args[0])
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(args[1]); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s did not come", args[1])
}
