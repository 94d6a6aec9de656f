package sandbox

// Tried is something that the kernel refused inside a fence.
type Tried struct {
	Kind string `json:"kind"`           // TriedWrite, TriedSocket, TriedStart, or the call, such as io_uring_setup
	Path string `json:"path,omitempty"` // what was to be written, the socket, or the program
}

// The kinds that have a path.
const (
	TriedWrite  = "write"                  // a change of a file or folder that the policy does not open
	TriedSocket = "connect to Unix socket" // of a program outside
	TriedStart  = "start by the loader"    // of a program of Policy.Programs
)
