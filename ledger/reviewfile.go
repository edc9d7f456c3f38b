package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

var (
	errTooLarge   = errors.New("too large to be kept")
	errNotRegular = errors.New("no regular file")
)

// workFile is a file of a project, reached without following a symlink.
type workFile struct {
	dir  safeDir
	name string
}

func reviewedFile(project, rel string) (workFile, error) {
	full := filepath.Join(project, filepath.FromSlash(rel))
	if !within(full, project) {
		return workFile{}, fmt.Errorf("%s lies outside the project", rel)
	}
	dir, err := newSafeDir(project, filepath.Dir(full))
	return workFile{dir, path.Base(rel)}, err
}

// read returns the file's bytes and mode. The mode is returned with
// errTooLarge too.
func (w workFile) read() ([]byte, fs.FileMode, error) {
	dir, err := w.dir.open(false)
	if err != nil {
		return nil, 0, err
	}
	defer unix.Close(dir)
	var st unix.Stat_t
	if err := unix.Fstatat(dir, w.name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil, 0, &fs.PathError{Op: "stat", Path: w.name, Err: err}
	}
	mode := fs.FileMode(st.Mode & 0o7777)
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, mode, errNotRegular
	}
	if st.Size > maxReviewBytes {
		return nil, mode, errTooLarge
	}
	fd, err := unix.Openat(dir, w.name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, mode, &fs.PathError{Op: "open", Path: w.name, Err: err}
	}
	f := os.NewFile(uintptr(fd), w.name)
	defer f.Close()
	text, err := readLimited(f, maxReviewBytes)
	return text, mode, err
}

// replace writes the file anew beside itself and moves it into place, if
// unchanged still says so just before.
func (w workFile) replace(text []byte, mode fs.FileMode, unchanged func() error) error {
	dir, err := w.dir.open(true)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	temp := "." + w.name + "." + randomHex(6)
	fd, err := unix.Openat(dir, temp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, fileMode)
	if err != nil {
		return fmt.Errorf("restoring %s: %w", w.name, err)
	}
	f := os.NewFile(uintptr(fd), temp)
	_, err = f.Write(text)
	err = errors.Join(err, unix.Fchmod(fd, uint32(mode)), f.Close())
	if err == nil {
		if err = unchanged(); err == nil {
			err = unix.Renameat(dir, temp, dir, w.name)
		}
	}
	if err != nil {
		_ = unix.Unlinkat(dir, temp, 0)
		return fmt.Errorf("restoring %s: %w", w.name, err)
	}
	return nil
}

// remove removes the file, if unchanged still says so just before.
func (w workFile) remove(unchanged func() error) error {
	dir, err := w.dir.open(false)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	if err := unchanged(); err != nil {
		return fmt.Errorf("removing %s: %w", w.name, err)
	}
	if err := unix.Unlinkat(dir, w.name, 0); err != nil {
		return fmt.Errorf("removing %s: %w", w.name, err)
	}
	return nil
}

// removeAll removes the directory and everything in it.
func (d safeDir) removeAll() error {
	if len(d.rel) == 0 {
		return errors.New("refusing to remove the root")
	}
	// os.Root keeps the removal below the root whatever links lie there.
	root, err := os.OpenRoot(d.root)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.RemoveAll(filepath.Join(d.rel...))
}
