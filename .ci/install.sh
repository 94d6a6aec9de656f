#!/bin/sh
# Installs delegate from a folder or an address of released files, into $PREFIX or ~/.local:
#   sh install.sh [FROM]
# Nothing is installed that differs from its line in SHA256SUMS. Whether that list is the one that was released is for
# what carries it to tell: https, or a check of its attestation before.
set -eu

# The address of releases, where this file came with them.
releases=

stop() {
	echo "install.sh: $*" >&2
	exit 1
}

from=${1:-$releases}
[ -n "$from" ] || stop "say where the released files are: sh install.sh FOLDER-OR-ADDRESS"
prefix=${PREFIX:-$HOME/.local}

case $(uname -s) in
Linux) system=linux ;;
Darwin) system=darwin ;;
*) stop "there is no archive for $(uname -s) that this script unpacks; on Windows unpack the zip file" ;;
esac
case $(uname -m) in
x86_64 | amd64) processor=amd64 ;;
aarch64 | arm64) processor=arm64 ;;
*) stop "there is no archive for the processor $(uname -m)" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# get NAME: a released file into the work folder.
get() {
	case $from in
	http://* | https://* | file://*)
		if command -v curl >/dev/null; then
			curl -fsSL -o "$work/$1" "$from/$1"
		elif command -v wget >/dev/null; then
			wget -q -O "$work/$1" "$from/$1"
		else
			stop "curl or wget is needed to load files"
		fi ;;
	*) cp "$from/$1" "$work/$1" ;;
	esac || stop "$from has no $1"
}

get SHA256SUMS
line=$(grep "  delegate_[^ /]*_${system}_$processor\\.tar\\.gz\$" "$work/SHA256SUMS") || stop "$from has nothing for $system/$processor"
[ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || stop "$from has several archives for $system/$processor"
archive=${line#*  }
get "$archive"

cd "$work"
printf '%s\n' "$line" >checked
if command -v sha256sum >/dev/null; then
	sha256sum -c checked >/dev/null 2>&1
elif command -v shasum >/dev/null; then
	shasum -a 256 -c checked >/dev/null 2>&1
else
	stop "sha256sum or shasum is needed to check what was loaded"
fi || stop "$archive is not what SHA256SUMS says; nothing was installed"

tar -xzf "$archive"
cd "${archive%.tar.gz}"
mkdir -p "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/bash-completion/completions" \
	"$prefix/share/zsh/site-functions" "$prefix/share/fish/vendor_completions.d"
cp man/man1/*.1 "$prefix/share/man/man1/"
cp completions/delegate.bash "$prefix/share/bash-completion/completions/delegate"
cp completions/_delegate "$prefix/share/zsh/site-functions/_delegate"
cp completions/delegate.fish "$prefix/share/fish/vendor_completions.d/delegate.fish"
# A program that runs keeps the file that it was started from.
cp delegate "$prefix/bin/.delegate.new"
chmod 755 "$prefix/bin/.delegate.new"
mv -f "$prefix/bin/.delegate.new" "$prefix/bin/delegate"
"$prefix/bin/delegate" version
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) echo "install.sh: $prefix/bin is not in your PATH" ;;
esac
