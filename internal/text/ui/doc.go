// Package ui asks people questions at a terminal and writes for their eyes.
//
// It owns the decision what counts as a person's answer.
// A question needs a terminal on both ends and is never answered by anything else:
// not by a default on a closed input, not by what was typed before the question appeared,
// not by the end of the input, and not by letters that fit no answer or several.
// It is the only package that knows the prompt library.
//
// It also owns how output follows the terminal: colours, widths, tables,
// and the taking out of what would drive the terminal from text that others wrote.
package ui
