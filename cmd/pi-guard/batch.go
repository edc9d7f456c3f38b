package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxBatchLine bounds one line of a batch, like a message of the protocol.
const maxBatchLine = 32 << 20

// batchError is the answer to a line of a batch that cannot be read. ID is
// null where not even that is known.
type batchError struct {
	ID    json.RawMessage `json:"id"`
	Error string          `json:"error"`
}

// eachLine reads one JSON value a line and writes one answer a line, flushed
// at once so that the other side may wait for it. A line that cannot be read is
// answered with an error and does not stop the batch.
func eachLine[Q any](in io.Reader, out io.Writer, answer func(q Q) any) error {
	r := bufio.NewReaderSize(in, 64<<10)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for {
		line, err := readLine(r)
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errLongLine) {
			return fmt.Errorf("read the batch: %w", err)
		}
		if err == nil || errors.Is(err, io.EOF) {
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
		}
		if err := enc.Encode(answerLine(line, err, answer)); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
	}
}

func answerLine[Q any](line []byte, err error, answer func(q Q) any) any {
	if errors.Is(err, errLongLine) {
		return batchError{Error: err.Error()}
	}
	var q Q
	if err := json.Unmarshal(line, &q); err != nil {
		var known struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(line, &known) // keeps the id where that much is readable
		return batchError{ID: known.ID, Error: "not a valid line: " + err.Error()}
	}
	return answer(q)
}

var errLongLine = fmt.Errorf("the line is longer than %d bytes", maxBatchLine)

// readLine returns the next line without its end. Of a line that is too long
// it reads everything and returns errLongLine.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxBatchLine {
			long, line = true, nil
		}
		if !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			return nil, errLongLine
		}
		return bytes.TrimSuffix(line, []byte("\n")), err
	}
}
