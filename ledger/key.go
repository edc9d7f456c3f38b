package ledger

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// keySize is the length of the install key in bytes.
const keySize = 32

// loadKey reads the per-install key, making it on first use. It lies in the
// data directory, which is outside every project, so that what runs in a
// project cannot make records that verify (E3).
func loadKey(dataDir string) ([]byte, error) {
	path := filepath.Join(dataDir, "ledger.key")
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := makeKey(dataDir, path); err != nil {
		return nil, fmt.Errorf("making the ledger's key: %w", err)
	}
	return readKey(path)
}

func readKey(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("reading the ledger's key: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the ledger's key %s is no regular file: remove it", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the ledger's key %s can be read by others: run chmod 600 on it", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the ledger's key: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != keySize {
		return nil, fmt.Errorf("the ledger's key %s is damaged: it must hold %d hexadecimal digits; "+
			"with another key all earlier evidence counts as foreign", path, 2*keySize)
	}
	return key, nil
}

// makeKey writes a new key under a name of its own and links it into place, so
// that of two processes that start at once both use the first one's key.
func makeKey(dataDir, path string) error {
	if err := os.MkdirAll(dataDir, dirMode); err != nil {
		return err
	}
	temp := path + "." + randomHex(8)
	if err := os.WriteFile(temp, []byte(randomHex(keySize)+"\n"), fileMode); err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := os.Link(temp, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// derive is a key for one purpose, made from the install key.
func derive(key []byte, purpose ...string) []byte {
	mac := hmac.New(sha256.New, key)
	for _, p := range purpose {
		fmt.Fprintf(mac, "%d:%s", len(p), p)
	}
	return mac.Sum(nil)
}

// keyed is the HMAC-SHA256 of text in hexadecimal.
func keyed(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	io.WriteString(mac, text)
	return hex.EncodeToString(mac.Sum(nil))
}

// randomHex is n random bytes in hexadecimal.
func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: see crypto/rand
	return hex.EncodeToString(b)
}

// readLimited reads r to its end and refuses more than limit bytes.
func readLimited(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("larger than %d bytes", limit)
	}
	return data, err
}
