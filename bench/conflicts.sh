#!/usr/bin/env bash
# Compares all pairs of 8, 16 and 64 branches of a repository of 10,000 Go files, side by side in one run:
#   a git merge-tree process for each pair, one bare git merge-tree --stdin for all, and delegate conflicts
#   (text layer; with symbols; with the type checker; once more when nothing moved).
# Every figure is the best of RUNS (default 3) in milliseconds, with the ratio to the bare batch.
# BUSY=1 has every branch change the same three files as well, one of their twelve functions each, so that git has to look into every pair.
# Needs git 2.39, Go and awk. Usage: bench/conflicts.sh [FOLDER]; the folder (default: a temporary one) is made and kept if given.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${RUNS:-3} files=${FILES:-10000} changed=${CHANGED:-40} busy=${BUSY:-}
work=${1:-$(mktemp -d)}
[ $# -gt 0 ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
go build -o "$work/delegate" ./cmd/delegate
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

# stream writes a fast-import stream: a module of packages of 20 files each, and 64 branches.
# Branch b changes one function in each of its files and calls a function of the next package in it;
# every eighth file belongs to the branch before as well, so that some merges conflict.
stream() {
	awk -v files="$files" -v changed="$changed" -v busy="$busy" '
	function path(i) { return sprintf("p%d/f%d.go", int(i / 20), i) }
	function body(i, mark, which,    s, j) {
		s = sprintf("package p%d\n\n", int(i / 20))
		if (mark != "") s = s sprintf("import \"example.org/big/p%d\"\n\n", (int(i / 20) + 1) % int(files / 20))
		for (j = 0; j < 12; j++)
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
			if (busy) for (i = 1; i <= 3; i++) put(path(i), shared(i, b * 1000, b % 12))
		}
	}'
}

repo=$work/repo${busy:+-busy}
if [ ! -d "$repo" ]; then
	git init -q -b main "$repo"
	stream | git -C "$repo" fast-import --quiet
	git -C "$repo" read-tree main
	git -C "$repo" gc -q
fi
cd "$repo"

# best COMMAND... prints the shortest time of several runs in milliseconds; ready is run before each.
best() {
	local least= i t
	for ((i = 0; i < runs; i++)); do
		$ready
		t=$(date +%s%N)
		"$@" >/dev/null 2>&1 || true
		t=$((($(date +%s%N) - t) / 10000))
		[ -n "$least" ] && [ "$least" -le "$t" ] || least=$t
	done
	awk -v t="$least" 'BEGIN { printf "%.1f", t / 100 }'
}
forget() { rm -f .git/delegate/conflicts-*.json; }
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

echo "git $(git version | cut -d' ' -f3), $(nproc) cores, $files files, $changed changed a branch${busy:+ and 3 by all}, best of $runs, milliseconds"
for n in 8 16 64; do
	mapfile -t names < <(branches "$n")
	count=$((n * (n - 1) / 2))
	ready=fresh
	process=skipped
	[ "$n" -gt 16 ] && [ -z "${ALL:-}" ] || process=$(best each "$n")
	batch=$(best bare "$n")
	ready=forget
	text=$(best "$work/delegate" conflicts --depth text --json "${names[@]}")
	symbols=$(best "$work/delegate" conflicts --depth symbols --json "${names[@]}")
	checked=$(best "$work/delegate" conflicts --json "${names[@]}")
	ready=true
	again=$(best "$work/delegate" conflicts --json "${names[@]}")
	memory=$(peak "$work/delegate" conflicts --depth symbols --json "${names[@]}")
	awk -v n="$n" -v c="$count" -v p="$process" -v b="$batch" -v t="$text" -v s="$symbols" -v k="$checked" -v a="$again" -v m="$memory" 'BEGIN {
		printf "%d branches, %d pairs\n", n, c
		printf "  a process each      %10s%s\n", p, p == "skipped" ? "  (ALL=1 runs it)" : sprintf("  %.1f x bare", p / b)
		printf "  bare --stdin        %10s\n", b
		printf "  conflicts, text     %10s  %.2f x bare%s\n", t, t / b, p == "skipped" ? "" : sprintf(", a process each is %.1f x slower", p / t)
		printf "  conflicts, symbols  %10s  %.2f ms a pair more than text\n", s, (s - t) / c
		printf "  conflicts, checked  %10s\n", k
		printf "  nothing moved       %10s\n", a
		printf "  memory at symbols   %10s MB\n", m
	}'
done
