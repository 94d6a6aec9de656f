package c

import (
	"slices"

	"delegate/conflict/code"
)

// headers are the headers of the library that have what code names often: in C++'s std, and in C.
var headers = map[string][]string{
	"std.map": {"map"}, "std.multimap": {"map"}, "std.set": {"set"}, "std.vector": {"vector"}, "std.list": {"list"},
	"std.deque": {"deque"}, "std.queue": {"queue"}, "std.priority_queue": {"queue"}, "std.stack": {"stack"},
	"std.array": {"array"}, "std.unordered_map": {"unordered_map"}, "std.unordered_set": {"unordered_set"},
	"std.optional": {"optional"}, "std.variant": {"variant"}, "std.tuple": {"tuple"}, "std.function": {"functional"},
	"std.unique_ptr": {"memory"}, "std.shared_ptr": {"memory"}, "std.make_unique": {"memory"},
	"std.make_shared": {"memory"}, "std.sort": {"algorithm"}, "std.find_if": {"algorithm"},
	"std.accumulate": {"numeric"},
	"std.cout":       {"iostream"}, "std.cerr": {"iostream"}, "std.ostringstream": {"sstream"},
	"std.stringstream": {"sstream"},
	"std.ifstream":     {"fstream"}, "std.ofstream": {"fstream"}, "std.mutex": {"mutex"}, "std.lock_guard": {"mutex"},
	"std.thread": {"thread"}, "std.atomic": {"atomic"}, "std.regex": {"regex"}, "std.setw": {"iomanip"},
	"std.runtime_error": {"stdexcept"}, "std.invalid_argument": {"stdexcept"}, "std.out_of_range": {"stdexcept"},
	"std.numeric_limits": {"limits"}, "std.sqrt": {"cmath"}, "std.pow": {"cmath"},
	"printf": {"stdio.h", "cstdio"}, "fprintf": {"stdio.h", "cstdio"}, "snprintf": {"stdio.h", "cstdio"},
	"memcpy": {"string.h", "cstring"}, "memset": {"string.h", "cstring"}, "strlen": {"string.h", "cstring"},
	"strcmp": {"string.h", "cstring"}, "malloc": {"stdlib.h", "cstdlib"}, "free": {"stdlib.h", "cstdlib"},
	"realloc": {"stdlib.h", "cstdlib"}, "calloc": {"stdlib.h", "cstdlib"}, "getenv": {"stdlib.h", "cstdlib"},
	"strtol": {"stdlib.h", "cstdlib"}, "atoi": {"stdlib.h", "cstdlib"}, "qsort": {"stdlib.h", "cstdlib"},
	"strncmp": {"string.h", "cstring"}, "strchr": {"string.h", "cstring"}, "strstr": {"string.h", "cstring"},
	"strcpy": {"string.h", "cstring"}, "memmove": {"string.h", "cstring"}, "memcmp": {"string.h", "cstring"},
	"fopen": {"stdio.h", "cstdio"}, "fclose": {"stdio.h", "cstdio"}, "fgets": {"stdio.h", "cstdio"},
	"puts": {"stdio.h", "cstdio"}, "perror": {"stdio.h", "cstdio"}, "isspace": {"ctype.h", "cctype"},
	"tolower": {"ctype.h", "cctype"}, "toupper": {"ctype.h", "cctype"}, "va_list": {"stdarg.h", "cstdarg"},
	"pthread_create": {"pthread.h"},
	"assert":         {"assert.h", "cassert"}, "uint32_t": {"stdint.h", "cstdint", "inttypes.h"},
	"uint64_t": {"stdint.h", "cstdint", "inttypes.h"}, "uint8_t": {"stdint.h", "cstdint", "inttypes.h"},
	"uint16_t": {"stdint.h", "cstdint", "inttypes.h"}, "int64_t": {"stdint.h", "cstdint", "inttypes.h"},
	"int32_t": {"stdint.h", "cstdint", "inttypes.h"}, "INT_MAX": {"limits.h", "climits"},
	"size_t": sizes, "NULL": sizes, "FILE": {"stdio.h", "cstdio", "wchar.h"}, "time_t": {"time.h", "ctime"},
	"bool": {"stdbool.h"}, "errno": {"errno.h", "cerrno"}, "isdigit": {"ctype.h", "cctype"},
}

// sizes are the headers that have the type of sizes.
var sizes = []string{"stddef.h", "stdlib.h", "stdio.h", "string.h", "time.h", "wchar.h", "cstddef", "cstdlib", "cstdio",
	"cstring", "ctime"}

// libraryGives reports whether a header of the library has what a reference names.
func libraryGives(module string, r code.Reference) bool {
	name := r.Name
	if r.Qualifier != "" {
		name = r.Qualifier + "." + name
	}
	return slices.Contains(headers[name], module)
}
