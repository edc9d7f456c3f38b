package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/pi-guard/pi-guard/ledger"
	"github.com/pi-guard/pi-guard/profiles"
)

// stateVersion is the version of the state file.
const stateVersion = 1

// maxState bounds a state file, in bytes.
const maxState = 4 << 20

// state is what a person has said in one session. It lies in a small JSON file
// outside the project, so that it outlives the process and the agent cannot
// write it (P5).
type state struct {
	Version int    `json:"version"`
	Session string `json:"session"`
	// Mode, Approval and PermissionProfile are the person's choices, "" where
	// they made none.
	Mode              string `json:"mode,omitempty"`
	Approval          string `json:"approval,omitempty"`
	PermissionProfile string `json:"permissionProfile,omitempty"`
	// Grants are the standing yeses, Blocks the blocked paths.
	Grants profiles.Grants `json:"grants,omitempty"`
	Blocks []string        `json:"blocks,omitempty"`
	// Denied holds refusals by the keys of profiles.DenialKeys, with how often
	// the model was told of each (P10).
	Denied map[string]int `json:"denied,omitempty"`
	// Hidden are the tools that the mode took away from those the person has on (P7).
	Hidden []string `json:"hidden,omitempty"`
}

// stateFile is the file of a session's state.
type stateFile struct{ path string }

// maxID bounds a session id that is a file name as it is.
const maxID = 100

// fileName is a file name for a session id, which is pi's and may be anything.
func fileName(id string) string {
	plain := id != "" && len(id) <= maxID && id[0] != '.' && id[0] != '-'
	for i := range len(id) {
		c := id[i]
		plain = plain && (c == '.' || c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z')
	}
	if plain {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "id-" + hex.EncodeToString(sum[:16])
}

// stateOf is the state file of a session.
func stateOf(dataDir, session string) stateFile {
	return stateFile{filepath.Join(dataDir, "sessions", fileName(session)+".json")}
}

// load reads the state. One that is not there is empty. One that cannot be
// read is an error, and the state that comes with it is empty: nothing is
// granted by it.
func (f stateFile) load(session string) (state, error) {
	empty := state{Version: stateVersion, Session: session}
	info, err := os.Lstat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxState) {
		err = errors.New("not a regular file of a sensible size")
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(f.path)
	}
	if err != nil {
		return empty, fmt.Errorf("read the state of the session in %s: %w", f.path, err)
	}
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return empty, fmt.Errorf("read the state of the session in %s: %w", f.path, err)
	}
	if s.Version != stateVersion || s.Session != session {
		return empty, fmt.Errorf("read the state of the session in %s: it is version %d of session %q, not version %d of session %q",
			f.path, s.Version, s.Session, stateVersion, session)
	}
	return s, nil
}

// save writes the state whole or not at all. A refused call that holds a secret
// is remembered by this process alone (H9).
func (f stateFile) save(s state) error {
	kept := map[string]int{}
	for key, n := range s.Denied {
		if _, secret := ledger.Redact(key); !secret {
			kept[key] = n
		}
	}
	s.Denied = kept
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return fmt.Errorf("keep the state of the session: %w", err)
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("keep the state of the session: %w", err)
	}
	if err := renameio.WriteFile(f.path, append(data, '\n'), 0o600, renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("keep the state of the session: %w", err)
	}
	return nil
}

// setAside keeps a file that cannot be read for a person to look at, so that
// the next save does not destroy it.
func (f stateFile) setAside() error {
	err := os.Rename(f.path, f.path+".unreadable")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
