// Package remote is a turn that runs on an engine: the keeper that follows it from here, and the keeper that has it
// there.
//
// Both are this same program. What the engine gives them is four verbs, of which one runs a command where the job runs;
// everything passes through that one's streams, so that nothing there can be reached by anybody else:
//
//	delegate __follow DIR               here: Follow, in place of delegate __keeper; submits the job and looks at it
//	delegate __remote keep FOLDER ...   there, as the job: prepares the turn and starts delegate __keeper for it
//	delegate __remote identify FOLDER   there: who keeps it, as JSON
//	delegate __remote tips FOLDER DIR   there: what the mirror has, as commits
//	delegate __remote git FOLDER VERB   there: one end of git's own protocol
//	delegate __remote start FOLDER      there: what the turn is, on its input
//	delegate __remote stream FOLDER     there: the transcript and the agent's folder, both ways, until its end
//	delegate __remote ack FOLDER        there: its work came home
//	delegate __remote ssh DIR HOST ...  here: what git calls in the place of ssh
//
// A turn's folder there belongs to one start of one job. A second start finds it and ends; what another start made is
// never gone on with, since nobody knows what the first one still does. The end of a turn stays there until it is
// acknowledged, for a day.
//
// Nothing that comes from there is believed: what it says is bounded and checked when it is read, and its commits pass
// the checks of those that an agent's git made here.
package remote
