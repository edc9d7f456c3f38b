//go:build unix

package profiles

import (
	"io/fs"
	"syscall"
)

// ownedByRoot reports whether root owns a file.
func ownedByRoot(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0
}
