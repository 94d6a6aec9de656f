package sandbox

// Tried is something that the kernel refused inside a fence.
type Tried struct {
	Kind string `json:"kind"`           // TriedWrite, or the call, such as io_uring_setup
	Path string `json:"path,omitempty"` // what was to be written
}

// TriedWrite is the kind of every change of a file or folder that the policy does not open.
const TriedWrite = "write"
