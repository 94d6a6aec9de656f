#!/usr/bin/env bash
# Compares all pairs of 8, 16 and 64 branches of a repository of 10,000 Go files, side by side in one run:
#   a git merge-tree process for each pair, one bare git merge-tree --stdin for all, and delegate conflicts
#   (text layer; with symbols; with the type checker; once more when nothing moved).
# The commands take turns, RUNS (default 5) times each; every figure is the median, wall and processor time in milliseconds,
# with the ratios of both to the bare batch of the same turn. BRANCHES (default "8 16 64") are how many.
# FUNCTIONS (default 12) are how many each file has. DEPTHS (default "text symbols checked") are measured, each once more
# when nothing moved.
# BUSY=1 has every branch change the same three files as well, one of their functions each, so that git has to look into every pair.
# Needs git 2.39, Go and awk. Usage: bench/conflicts.sh [FOLDER]; the folder (default: a temporary one) is made and kept if given.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${RUNS:-5} depths=${DEPTHS:-text symbols checked} files=${FILES:-10000} changed=${CHANGED:-40} busy=${BUSY:-} functions=${FUNCTIONS:-12}
work=${1:-$(mktemp -d)}
[ $# -gt 0 ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
go build -o "$work/delegate" ./cmd/delegate
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

# stream writes a fast-import stream: a module of packages of 20 files each, and 64 branches.
# Branch b changes one function in each of its files and calls a function of the next package in it;
# every eighth file belongs to the branch before as well, so that some merges conflict.
stream() {
	awk -v files="$files" -v changed="$changed" -v busy="$busy" -v functions="$functions" '
	function path(i) { return sprintf("p%d/f%d.go", int(i / 20), i) }
	function body(i, mark, which,    s, j) {
		s = sprintf("package p%d\n\n", int(i / 20))
		if (mark != "") s = s sprintf("import \"example.org/big/p%d\"\n\n", (int(i / 20) + 1) % int(files / 20))
		for (j = 0; j < functions; j++)
			s = s sprintf("// F%dx%d is a function.\nfunc F%dx%d(n int) int {\n\tn += %d\n\treturn n * 2\n}\n\n", i, j, i, j, (mark != "" && j == which) ? mark : j)
		if (mark != "") s = s sprintf("func G%dof%d() int { return p%d.F%dx1(1) }\n", i, mark, (int(i / 20) + 1) % int(files / 20), ((int(i / 20) + 1) % int(files / 20)) * 20)
		return s
	}
	function shared(i, mark, which,    s) {
		s = body(i, mark, which)
		sub(/import [^\n]*\n\n/, "", s)
		sub(/func G.*/, "", s)
		return s
	}
	function put(name, text) { printf "M 100644 inline %s\ndata %d\n%s\n", name, length(text), text }
	function commit(ref, mark, from, message) {
		printf "commit %s\nmark :%d\ncommitter B <b@example.org> 0 +0000\ndata %d\n%s\n", ref, mark, length(message), message
		if (from) printf "from :%d\n", from
	}
	BEGIN {
		commit("refs/heads/main", 1, 0, "base")
		put("go.mod", "module example.org/big\n\ngo 1.24\n")
		for (i = 0; i < files; i++) put(path(i), body(i, "", 0))
		for (b = 1; b <= 64; b++) {
			commit(sprintf("refs/heads/b%d", b), b + 1, 1, "work")
			for (k = 0; k < changed; k++) {
				i = (k % 8 == 7 && b > 1) ? (b - 1) * changed + k : b * changed + k
				put(path((i * 3) % files), body((i * 3) % files, b * 1000, 6))
			}
			if (busy) for (i = 1; i <= 3; i++) put(path(i), shared(i, b * 1000, b % functions))
		}
	}'
}

repo=$work/repo-$functions${busy:+-busy}
if [ ! -d "$repo" ]; then
	git init -q -b main "$repo"
	stream | git -C "$repo" fast-import --quiet
	git -C "$repo" read-tree main
	git -C "$repo" gc -q
fi
cd "$repo"

# timed NAME COMMAND... adds the wall and processor time of one run to the file of that name.
timed() {
	local name=$1 TIMEFORMAT='%R %U %S'
	shift
	{ time "$@" >/dev/null 2>&1 || true; } 2>>"$work/times-$name"
}
forget() { rm -f .git/delegate/conflicts-*; }
pairs() { awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) printf "b%d b%d\n", i, j }'; }
# Both merge into a folder of their own that is empty at first, so that nobody finds the objects of an earlier run.
fresh() { rm -rf "$work/objects" && mkdir "$work/objects"; }
quarantined() { GIT_OBJECT_DIRECTORY=$work/objects GIT_ALTERNATE_OBJECT_DIRECTORIES=$repo/.git/objects "$@"; }
each() { pairs "$1" | while read -r a b; do quarantined git merge-tree --write-tree -z "$a" "$b"; done; }
bare() { quarantined git merge-tree --write-tree --stdin -z < <(pairs "$1"); }
branches() { for ((i = 1; i <= $1; i++)); do echo "b$i"; done; }
peak() { # peak COMMAND... prints the most memory that it and no child of it had at once, in MB
	forget
	if [ -x /usr/bin/time ]; then
		/usr/bin/time -f '%M' -o "$work/peak" "$@" >/dev/null 2>&1 || true
		awk '{ kb = $1 } END { printf "%.0f", kb / 1024 }' "$work/peak"
	else
		echo "unknown (no /usr/bin/time)"
	fi
}
# median NAME COLUMN prints the median of the wall (1) or processor (2) times in milliseconds.
median() { awk -v c="$2" '{ print 1000 * (c == 1 ? $1 : $2 + $3) }' "$work/times-$1" | middle; }
# ratio NAME COLUMN prints the median of the ratios to the bare batch of the same turn.
ratio() {
	paste "$work/times-$1" "$work/times-bare" | awk -v c="$2" '{ print c == 1 ? $1 / $4 : ($2 + $3) / ($5 + $6) }' | middle
}
middle() { sort -n | awk '{ v[NR] = $1 } END { printf "%.2f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

echo "git $(git version | cut -d' ' -f3), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo unknown)," \
	"$files files of $functions functions, $changed changed a branch${busy:+ and 3 by all}, medians of $runs turns"
for n in ${BRANCHES:-8 16 64}; do
	mapfile -t names < <(branches "$n")
	count=$((n * (n - 1) / 2))
	rm -f "$work"/times-*
	for ((run = 0; run < runs; run++)); do
		fresh
		[ -z "${ALL:-}" ] || timed each each "$n"
		fresh
		timed bare bare "$n"
		for depth in $depths; do
			forget
			timed "$depth" "$work/delegate" conflicts --depth "$depth" --json "${names[@]}"
			timed "$depth-again" "$work/delegate" conflicts --depth "$depth" --json "${names[@]}"
		done
	done
	printf '%3d branches, %4d pairs %12s %10s %14s %14s %10s\n' "$n" "$count" wall processor 'x bare wall' \
		'x bare proc.' 'a pair'
	for name in each bare $(for depth in $depths; do echo "$depth" "$depth-again"; done); do
		[ -f "$work/times-$name" ] || continue
		printf '  %-24s %12s %10s %14s %14s %10s\n' "$name" "$(median "$name" 1)" "$(median "$name" 2)" \
			"$(ratio "$name" 1)" "$(ratio "$name" 2)" "$(awk -v t="$(median "$name" 2)" -v c="$count" 'BEGIN { printf "%.2f", t / c }')"
	done
	echo "  memory at symbols $(peak "$work/delegate" conflicts --depth symbols --json "${names[@]}") MB"
done
