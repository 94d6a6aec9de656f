// Package conflict says what two change sets do to each other.
//
// It owns the decision which meetings of two changes are findings,
// how severe and how certain each is, and in which words a person reads of it.
// It never sees git: the result of git's own merge is handed in as data,
// and so is everything else an analyzer looks at.
// Detectors are values in a list, see Analyzers;
// findings are data, and an error means that it is not known what the two changes do to each other,
// which has to stop a landing just as a blocking finding does.
package conflict
