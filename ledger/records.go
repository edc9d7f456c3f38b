package ledger

import (
	"context"
	"fmt"
	"iter"
)

// Records yields the records of observed-bash.jsonl, newest first, with the
// notices of the ledger about itself. Only lines made with the ledger's own key
// are yielded; that none is missing, moved or there twice is for Verify to say.
// A pair with an error is the last one.
func (l *Ledger) Records(ctx context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if l == nil {
			yield(Record{}, errNoLedger)
			return
		}
		ended := false
		err := l.bash.backwards(ctx, func(env envelope, line []byte) (bool, error) {
			r, err := ParseRecord(line)
			if err != nil {
				return false, fmt.Errorf("record %d: %w", env.seq, err)
			}
			ended = !yield(r, nil)
			return !ended, nil
		})
		if err != nil && !ended {
			yield(Record{}, fmt.Errorf("reading the ledger: %w", err))
		}
	}
}
