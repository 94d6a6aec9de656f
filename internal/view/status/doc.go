// Package status answers what is the case: agents as reading commands show them, what waits for a person, what an
// agent prints, and when a wait is over. It writes nothing.
package status
