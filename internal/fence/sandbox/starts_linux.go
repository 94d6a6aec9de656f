package sandbox

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// startCall is a call that starts a program: where the place and the words of the command line are among its arguments.
type startCall struct {
	place placeArgs
	words int
}

// startCalls are asked about where other programs are covered. What stands in their place reports each start but one:
// that by the loader of libraries, which takes no script.
func startCalls() map[uint32]startCall {
	return map[uint32]startCall{
		unix.SYS_EXECVE:   {placeArgs{noArgument, 0}, 1},
		unix.SYS_EXECVEAT: {placeArgs{0, 1}, 2},
	}
}

// Bounds of what is looked at before a program is started.
const (
	mostWords  = 64   // of a command line
	mostNested = 4    // scripts that read each other, as the kernel has it
	headSize   = 4096 // of a file: the words behind #!, or what its parts are
)

// starts is the covered program that the loader is given, nil where none is.
func (l *Listener) starts(q *question, c startCall) []Tried {
	at, err := l.place(q, pathCall{change: ChangesModes}, c.place) // of these alone the place may be a descriptor's
	if err != nil {
		return nil // the call fails for the same reason
	}
	before, isLoader := l.loads(q, at.path)
	if !isLoader {
		return nil
	}
	for _, word := range append(before, l.commandLine(q, c.words)...) {
		if at, err := l.named(q, word); err == nil && slices.Contains(l.policy.Programs, at.path) {
			return []Tried{{Kind: TriedStart, Path: at.path}}
		}
	}
	return nil
}

// loads reports whether a file is the loader, or a script that it is to read, with the words that the loader is given
// then before those of the command line.
func (l *Listener) loads(q *question, place string) (before []string, is bool) {
	for range mostNested {
		head := l.head(place)
		line, script := bytes.CutPrefix(head, []byte("#!"))
		if !script {
			return before, isLoader(head)
		}
		line, _, _ = bytes.Cut(line, []byte("\n"))
		reads := strings.Trim(string(line), " \t")
		word := ""
		if end := strings.IndexAny(reads, " \t"); end >= 0 {
			reads, word = reads[:end], strings.Trim(reads[end:], " \t")
		}
		before = append(before, word, place)
		at, err := l.named(q, reads)
		if err != nil {
			return nil, false
		}
		place = at.path
	}
	return nil, false
}

// named is the place that a process means by a word.
func (l *Listener) named(q *question, word string) (found, error) {
	root, err := l.within(q)
	if err != nil || word == "" || len(word) >= unix.PathMax {
		return found{}, unix.ENOENT
	}
	if !path.IsAbs(word) {
		folder, err := leadsTo(q.pid, "cwd", -1)
		if err != nil {
			return found{}, err
		}
		word = folder + "/" + word
	}
	return resolve(q.pid, root, word, true)
}

// commandLine are the words behind the program's name, as far as they can be read.
func (l *Listener) commandLine(q *question, argument int) (words []string) {
	const size = 8 // of a pointer, on every architecture that is filtered
	at := q.args[argument]
	for n := uint64(1); at != 0 && n <= mostWords; n++ {
		pointer, err := read(q.pid, at+n*size, size)
		if err != nil {
			break
		}
		where := binary.NativeEndian.Uint64(pointer)
		if where == 0 {
			break
		}
		if word, err := readPath(q.pid, where); err == nil { // a longer one is no path
			words = append(words, word)
		}
	}
	return words
}

// head is the beginning of a file inside. What is no file is not opened: that alone could do something.
func (l *Listener) head(place string) []byte {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS}
	at, err := unix.Openat2(l.root, place, &how)
	if err != nil {
		return nil
	}
	defer unix.Close(at)
	var is unix.Stat_t
	if unix.Fstat(at, &is) != nil || is.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil
	}
	fd, err := unix.Open("/proc/self/fd/"+strconv.Itoa(at), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	head := make([]byte, headSize)
	n, err := unix.Pread(fd, head, 0)
	if err != nil {
		return nil
	}
	return head[:n]
}

// isLoader reports whether a file that begins so is a loader of libraries, under whatever name: it can be placed
// anywhere, and names no loader of its own. A program that is linked statically can be the same.
func isLoader(head []byte) bool {
	const (
		kind, parts, partSize, partCount = 16, 32, 54, 56 // of struct Elf64_Ehdr
		ownSize                          = 64
	)
	if len(head) < ownSize || string(head[:len(elf.ELFMAG)]) != elf.ELFMAG ||
		elf.Class(head[elf.EI_CLASS]) != elf.ELFCLASS64 {
		return false
	}
	order := binary.LittleEndian
	if elf.Type(order.Uint16(head[kind:])) != elf.ET_DYN {
		return false
	}
	at, size := order.Uint64(head[parts:]), uint64(order.Uint16(head[partSize:]))
	for range order.Uint16(head[partCount:]) {
		if at > headSize || at+4 > uint64(len(head)) || size == 0 {
			return false
		}
		if elf.ProgType(order.Uint32(head[at:])) == elf.PT_INTERP {
			return false
		}
		at += size
	}
	return true
}
