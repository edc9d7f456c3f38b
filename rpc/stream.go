package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// MaxMessage bounds one message, in bytes, its newline not counted.
const MaxMessage = 32 << 20

// lines is a stream of JSON-RPC messages, one a line. What cannot be read as a
// message is answered with an error and skipped, so that one bad message never
// ends the conversation.
type lines struct {
	r     *bufio.Reader
	c     io.Closer
	limit int    // of one message, in bytes
	ended func() // called when nothing more comes; may be nil

	mu sync.Mutex // guards w
	w  io.Writer
}

func newLines(rw io.ReadWriteCloser, limit int) *lines {
	return &lines{r: bufio.NewReaderSize(rw, 64<<10), w: rw, c: rw, limit: limit}
}

// WriteObject writes one message and its newline at once.
func (l *lines) WriteObject(obj any) error {
	data, err := json.Marshal(obj)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	if len(data) > l.limit {
		return fmt.Errorf("encode a message: %d bytes is more than %d", len(data), l.limit)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.w.Write(append(data, '\n'))
	return err
}

// ReadObject reads the next message that is one.
func (l *lines) ReadObject(v any) error {
	for {
		line, err := l.readLine()
		if errors.Is(err, errTooLong) {
			why := fmt.Sprintf("%v than %d bytes", err, l.limit)
			if err := l.refuse(jsonrpc2.CodeInvalidRequest, line, why); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			if l.ended != nil {
				l.ended()
			}
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if !json.Valid(line) {
			if err := l.refuse(jsonrpc2.CodeParseError, nil, "not valid JSON"); err != nil {
				return err
			}
			continue
		}
		if err := json.Unmarshal(line, v); err != nil {
			if err := l.refuse(jsonrpc2.CodeInvalidRequest, line, err.Error()); err != nil {
				return err
			}
			continue
		}
		return nil
	}
}

// Close closes the connection below.
func (l *lines) Close() error { return l.c.Close() }

var errTooLong = errors.New("the message is longer")

// readLine reads one line. Of one that is too long it reads everything, and
// returns its beginning with errTooLong. A last line without a newline is cut
// off in the middle and no message.
func (l *lines) readLine() ([]byte, error) {
	var line []byte
	total := 0
	for {
		part, err := l.r.ReadSlice('\n')
		total += len(part)
		if total <= l.limit+1 {
			line = append(line, part...)
		} else if len(line) > 512 {
			line = line[:512:512]
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, err
		case total > l.limit+1:
			return line, errTooLong
		}
		return line, nil
	}
}

// refuse answers a message that is none. The id is null unless it can be read.
func (l *lines) refuse(code int64, message []byte, why string) error {
	var head struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(message, &head) == nil && head.Method == "" && head.ID != nil {
		return nil // an answer that is none: there is nobody to tell
	}
	return l.WriteObject(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   jsonrpc2.Error  `json:"error"`
	}{"2.0", head.ID, jsonrpc2.Error{Code: code, Message: why}})
}
