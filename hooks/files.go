package hooks

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Files lets the analysis look at the real file system. It only reads, and
// only what it is asked for (B13).
type Files struct{}

// ReadFile returns at most limit+1 bytes of a regular file. Anything else, a
// pipe or a device above all, is an error and is never opened for reading.
func (Files) ReadFile(path string, limit int) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: not a regular file", path)
	}
	return io.ReadAll(io.LimitReader(f, int64(limit)+1))
}

// ReadDir returns at most limit+1 entries of a directory.
func (Files) ReadDir(path string, limit int) ([]fs.DirEntry, error) {
	d, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer d.Close() //nolint:errcheck // nothing was written
	entries, err := d.ReadDir(limit + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

// Stat describes what path leads to.
func (Files) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// Lstat describes path itself.
func (Files) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

// EvalSymlinks is the canonical form of an existing path.
func (Files) EvalSymlinks(path string) (string, error) { return filepath.EvalSymlinks(path) }
