// Package scopemonitor finds what a running agent does outside of its scope: changed files, and programs that it left.
package scopemonitor
