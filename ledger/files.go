package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// dirMode and fileMode are the modes of everything the ledger makes (E1).
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// safeDir is a directory that is reached from a trusted root without following
// any symlink, so that a link planted in the project cannot send records, or
// the reading of them, elsewhere (E1).
type safeDir struct {
	root string   // absolute, trusted; symlinks in it are followed
	rel  []string // components below root, none of them a symlink
}

// newSafeDir is the directory path below root. Both are absolute.
func newSafeDir(root, path string) (safeDir, error) {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return safeDir{}, fmt.Errorf("state directory %s: must lie below %s", path, root)
	}
	dir := safeDir{root: root}
	if rel != "." {
		dir.rel = strings.Split(rel, "/")
	}
	return dir, nil
}

// path is the directory's path, for messages.
func (d safeDir) path() string {
	return filepath.Join(append([]string{d.root}, d.rel...)...)
}

// sub is a directory below d.
func (d safeDir) sub(name string) safeDir {
	return safeDir{root: d.root, rel: append(append([]string(nil), d.rel...), name)}
}

// open returns a descriptor of the directory, making what is missing when
// create is set. The caller closes it.
func (d safeDir) open(create bool) (int, error) {
	fd, err := unix.Open(d.root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: d.root, Err: err}
	}
	for i, name := range d.rel {
		next, err := openStep(fd, name, create)
		unix.Close(fd)
		if err != nil {
			return -1, d.stepError(i, err)
		}
		fd = next
	}
	return fd, nil
}

func openStep(parent int, name string, create bool) (int, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(parent, name, flags, 0)
	if !create || !errors.Is(err, unix.ENOENT) {
		return fd, err
	}
	if err := unix.Mkdirat(parent, name, dirMode); err != nil && !errors.Is(err, unix.EEXIST) {
		return -1, err
	}
	return unix.Openat(parent, name, flags, 0)
}

func (d safeDir) stepError(i int, err error) error {
	path := filepath.Join(append([]string{d.root}, d.rel[:i+1]...)...)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
		return fmt.Errorf("%s is a symlink or no directory: remove it, the guard's state must be a real directory", path)
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}

// openFile opens a regular file in the directory without following a symlink.
func (d safeDir) openFile(name string, flags int) (*os.File, error) {
	dir, err := d.open(flags&os.O_CREATE != 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(dir)
	path := filepath.Join(d.path(), name)
	// O_NONBLOCK keeps a FIFO planted under the name from blocking the open.
	fd, err := unix.Openat(dir, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, fileMode)
	if errors.Is(err, unix.ELOOP) {
		return nil, fmt.Errorf("%s is a symlink: remove it, the guard does not follow links in its state", path)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		unix.Close(fd)
		return nil, fmt.Errorf("%s is no regular file: remove it", path)
	}
	return os.NewFile(uintptr(fd), path), nil
}

// readFile reads a whole file of at most limit bytes.
func (d safeDir) readFile(name string, limit int64) ([]byte, error) {
	f, err := d.openFile(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(f, limit)
}

// writeFile replaces a file by writing another and renaming it, so that a
// reader sees the old or the new text and never a part.
func (d safeDir) writeFile(name string, data []byte) error {
	dir, err := d.open(true)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	temp := fmt.Sprintf(".%s.%d.%s", name, os.Getpid(), randomHex(4))
	path := filepath.Join(d.path(), name)
	fd, err := unix.Openat(dir, temp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, fileMode)
	if err != nil {
		return &fs.PathError{Op: "create", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = unix.Renameat(dir, temp, dir, name)
	}
	if err != nil {
		_ = unix.Unlinkat(dir, temp, 0)
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// rename renames a file within the directory.
func (d safeDir) rename(from, to string) error {
	dir, err := d.open(false)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	if err := unix.Renameat(dir, from, dir, to); err != nil {
		return fmt.Errorf("renaming %s to %s: %w", filepath.Join(d.path(), from), to, err)
	}
	return nil
}

// remove removes a file; one that is not there is no error.
func (d safeDir) remove(name string) error {
	dir, err := d.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	if err := unix.Unlinkat(dir, name, 0); err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("removing %s: %w", filepath.Join(d.path(), name), err)
	}
	return nil
}

// stat is the stamp of a file in the directory.
func (d safeDir) stat(name string) (stamp, error) {
	dir, err := d.open(false)
	if err != nil {
		return stamp{}, err
	}
	defer unix.Close(dir)
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return stamp{}, &fs.PathError{Op: "stat", Path: filepath.Join(d.path(), name), Err: err}
	}
	return stampFrom(&st), nil
}

// list returns the names in the directory; none when it is missing.
func (d safeDir) list() ([]string, error) {
	fd, err := d.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), d.path())
	defer f.Close()
	return f.Readdirnames(-1)
}

// stamp identifies a state of a file's content without reading it. A program
// can set the modification time back, but not the change time.
type stamp struct {
	Ino   uint64 `json:"ino"`
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime"`
	CTime int64  `json:"ctime"`
}

func stampOf(f *os.File) (stamp, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return stamp{}, &fs.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	return stampFrom(&st), nil
}
