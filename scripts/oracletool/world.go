package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
)

// Where the jail keeps its project and home, and where its shell finds
// programs. The labelled corpora use the same places.
const (
	projectDir = "/proj"
	homeDir    = "/home/u"
	tempDir    = "/tmp"
	searchPath = "/usr/local/bin:/usr/bin:/bin"
)

// entry is one file or directory that exists before a line runs.
type entry struct {
	path string
	mode fs.FileMode
	text string // the content of a file, the target of a symlink
}

// worldTree is what a line finds, parents before children. Everything below
// is put back after each line.
func worldTree() []entry {
	dir, file, script := fs.ModeDir|0o755, fs.FileMode(0o644), fs.FileMode(0o755)
	return []entry{
		{projectDir, dir, ""},
		{projectDir + "/a.txt", file, "alpha\n"},
		{projectDir + "/b.txt", file, "beta\n"},
		{projectDir + "/empty.log", file, ""},
		{projectDir + "/two words.txt", file, "gamma\n"},
		{projectDir + "/README.md", file, "# Readme\n"},
		{projectDir + "/Makefile", file, "all: one\n\tX made all\none:\n\t@Y made one\n"},
		{projectDir + "/package.json", file, `{"name":"p","scripts":{"pretest":"X pre","test":"Y test","build":"Z build"}}` + "\n"},
		{projectDir + "/run.sh", script, "#!/bin/sh\nX run \"$@\"\n"},
		{projectDir + "/lib.sh", file, "Y lib\nlibrary() { Z from lib; }\n"},
		{projectDir + "/link.txt", fs.ModeSymlink | 0o777, "a.txt"},
		{projectDir + "/src", dir, ""},
		{projectDir + "/src/main.go", file, "package main\n"},
		{projectDir + "/src/util.go", file, "package main\n"},
		{projectDir + "/src/inner", dir, ""},
		{projectDir + "/src/inner/deep.txt", file, "deep\n"},
		{projectDir + "/docs", dir, ""},
		{projectDir + "/docs/x.md", file, "x\n"},
		{projectDir + "/vacant", dir, ""},
		{homeDir, dir, ""},
		{homeDir + "/notes.txt", file, "notes\n"},
		{homeDir + "/bin", dir, ""},
		{tempDir, fs.ModeDir | 0o777, ""},
	}
}

// shellEnv is the environment that the shell of every line gets. hiddenVars
// are in it too, but no analysis is told of them: their values are unknown.
func shellEnv() []string {
	env := []string{"PATH=" + searchPath, "HOME=" + homeDir, "USER=u", "LOGNAME=u", "LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/bash"}
	env = append(env, hiddenVars...)
	// A name that is in no directory of PATH still has to be recorded.
	return append(env, `BASH_FUNC_command_not_found_handle%%=() {  /opt/oracle/not-found "$@"; }`)
}

// hiddenVars are variables whose values only the jail knows. A line that uses
// one of them does what cannot be known from its text.
var hiddenVars = []string{"HIDDEN=Y hidden", "HIDDEN_CMD=rm", "HIDDEN_FLAG=-rf", "HIDDEN_EMPTY=", "HIDDEN_DIR=/tmp", "HISTFILE=/dev/null"}

// knownVars is the part of shellEnv that an analysis is told.
func knownVars() map[string]string {
	vars := map[string]string{}
	for _, kv := range shellEnv() {
		name, value, _ := strings.Cut(kv, "=")
		if !slices.Contains(hiddenVars, kv) && !strings.HasPrefix(name, "BASH_FUNC") {
			vars[name] = value
		}
	}
	return vars
}

// stubNames are the programs of the jail besides the real ones: markers that
// stand for any command, and names that guards care about.
func stubNames() []string {
	return strings.Fields(`
		X Y Z W marker hidden payload
		rm rmdir mv cp ln mkdir touch tee dd install shred truncate unlink chmod chown chgrp chattr mktemp
		git gh hub svn hg curl wget nc ncat socat ssh scp sftp rsync ftp telnet
		sudo doas su runuser pkexec docker podman kubectl helm terraform pulumi aws gcloud az vault
		npm npx pnpm yarn bun node deno python python3 python2 pip pip3 uv uvx poetry ruby gem perl php lua
		go cargo rustc gcc cc g++ clang make cmake ninja just task gradle mvn java javac
		psql mysql sqlite3 mongo redis-cli systemctl service crontab at batch kill pkill killall reboot shutdown
		halt poweroff mkfs mkfs.ext4 fdisk parted mount umount swapoff losetup sysctl modprobe insmod
		useradd usermod userdel passwd groupadd visudo iptables ip ifconfig route hostname date cal uname whoami id
		ls cat head tail grep egrep fgrep rg find fd ag awk gawk mawk sed tr cut sort uniq wc nl od xxd hexdump
		base64 base32 rev tac paste join comm diff cmp patch file stat du df ps top free uptime which whereis
		env xargs parallel nice ionice nohup setsid stdbuf timeout time flock chrt taskset unshare nsenter strace
		ltrace gdb busybox script watch chroot tar zip unzip gzip gunzip bzip2 xz zstd 7z cpio ar openssl gpg age
		vim vi nano emacs ed ex less more man tmux screen sleep seq yes true false echo printf test [ expr bc dc
		jq yq sh bash dash zsh ksh fish csh tcsh printenv basename dirname realpath readlink pwd tty sync split
		csplit shuf factor numfmt column expand fold fmt pr look strings nproc arch logger wall write mesg
		apt apt-get dpkg yum dnf brew snap flatpak pacman apk eslint prettier jest vitest pytest tox mypy ruff
		black tsc webpack vite mocha nyc rspec rake bundle rails composer artisan dotnet swift xcodebuild`)
}

// alwaysReal are the programs that are themselves whenever a line starts
// them: they write nothing, and what they start has to be seen.
func alwaysReal() []string {
	return strings.Fields(`
		env xargs nice ionice nohup setsid stdbuf timeout flock chrt taskset find sh bash dash
		cat echo printf true false test [ tr rev tac base64 base32 xxd od seq head tail cut sort uniq wc paste nl
		expr basename dirname fold awk mawk sed grep printenv`)
}

// writersReal are the programs that are themselves only where the line is
// about what they write.
func writersReal() []string {
	return strings.Fields(`rm rmdir mv cp ln mkdir touch tee dd install truncate unlink chmod split sort shred`)
}

// makeTree writes the tree below root, as the analysis sees it.
func makeTree(root string, tree []entry) error {
	for _, e := range tree {
		if err := makeEntry(filepath.Join(root, e.path), e); err != nil {
			return err
		}
	}
	return nil
}

func makeEntry(path string, e entry) error {
	var err error
	switch {
	case e.mode.IsDir():
		err = os.MkdirAll(path, 0o755)
	case e.mode&fs.ModeSymlink != 0:
		err = os.Symlink(e.text, path)
	default:
		err = os.WriteFile(path, []byte(e.text), 0o644)
	}
	if err == nil && e.mode&fs.ModeSymlink == 0 {
		err = os.Chmod(path, e.mode.Perm())
	}
	if err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	return nil
}

// treeFiles shows an analysis the tree below root under the paths of the jail.
type treeFiles struct{ root string }

func (t treeFiles) host(path string) string { return filepath.Join(t.root, path) }

// ReadFile implements bashast.Lookup.
func (t treeFiles) ReadFile(path string, limit int) ([]byte, error) {
	info, err := os.Stat(t.host(path))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("reading %s: not a regular file", path)
	}
	text, err := os.ReadFile(t.host(path))
	if err != nil {
		return nil, err
	}
	return bytes.Clone(text[:min(len(text), limit+1)]), nil
}

// ReadDir implements bashast.Lookup.
func (t treeFiles) ReadDir(path string, limit int) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(t.host(path))
	if err != nil {
		return nil, err
	}
	return entries[:min(len(entries), limit+1)], nil
}

// Stat implements bashast.Lookup.
func (t treeFiles) Stat(path string) (fs.FileInfo, error) { return os.Stat(t.host(path)) }

// Lstat implements bashast.Lookup.
func (t treeFiles) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(t.host(path)) }

// EvalSymlinks implements bashast.Lookup.
func (t treeFiles) EvalSymlinks(path string) (string, error) {
	real, err := filepath.EvalSymlinks(t.host(path))
	if err != nil {
		return "", err
	}
	root, err := filepath.EvalSymlinks(t.root)
	if err != nil {
		return "", err
	}
	inside, ok := strings.CutPrefix(real, root)
	if !ok {
		return "", fmt.Errorf("resolving %s: outside the tree", path)
	}
	return inside, nil
}

var _ bashast.Lookup = treeFiles{}

// analysisEnv is what an analysis is told about the jail's shell.
func analysisEnv(root string) bashast.Env {
	return bashast.Env{Dir: projectDir, Project: projectDir, Home: homeDir, Vars: knownVars(), Files: treeFiles{root}}
}

// allNames are the names under which the stub is put on PATH.
func allNames() []string {
	names := slices.Concat(stubNames(), alwaysReal(), writersReal())
	slices.Sort(names)
	return slices.Compact(names)
}
