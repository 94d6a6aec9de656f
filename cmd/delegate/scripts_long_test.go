//go:build long && !windows

package main

import "testing"

// TestLongScripts runs the scripts that take seconds, or tools that a machine need not have.
func TestLongScripts(t *testing.T) { runScripts(t, "testdata/script/long") }
