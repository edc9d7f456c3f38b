package bashast

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// testFiles shows the files below a directory as those of /p.
type testFiles struct{ root string }

func (f testFiles) real(p string) string {
	rest, ok := strings.CutPrefix(p, "/p")
	if !ok {
		return filepath.Join(f.root, "outside", p)
	}
	return filepath.Join(f.root, rest)
}

func (f testFiles) ReadFile(p string, limit int) ([]byte, error) {
	file, err := os.Open(f.real(p))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, int64(limit)+1))
}

func (f testFiles) ReadDir(p string, limit int) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(f.real(p))
	return entries[:min(len(entries), limit+1)], err
}

func (f testFiles) Stat(p string) (fs.FileInfo, error)  { return os.Stat(f.real(p)) }
func (f testFiles) Lstat(p string) (fs.FileInfo, error) { return os.Lstat(f.real(p)) }
func (f testFiles) EvalSymlinks(p string) (string, error) {
	real, err := filepath.EvalSymlinks(f.real(p))
	if err != nil {
		return "", err
	}
	return "/p" + strings.TrimPrefix(real, f.root), nil
}
