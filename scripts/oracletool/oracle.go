package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// batchSize is how many lines a jail gets at a time: while it runs them they
// are analysed.
const batchSize = 64

// oracle compares an analysis with bash.
type oracle struct {
	kit     *kit
	grammar *grammar
	// analyzer makes the analysis that one job holds to account.
	analyzer func(ctx context.Context) (analyzer, error)
	jobs     int
}

// source gives the samples of a run by number.
type source struct {
	count int
	at    func(number int) sample
}

// generated are n lines drawn from seed. only puts one construct in each.
func (o *oracle) generated(seed uint64, n int, only string) source {
	return source{n, func(number int) sample { return makeLine(o.grammar, drawn(seed, uint64(number)), only) }}
}

// outcome is a line and everything that is known of it.
type outcome struct {
	sample
	Number   int
	Claim    claim
	Observed observation
	Findings []finding
	Took     time.Duration
}

// run holds the analysis to account for every sample and tells see of each
// outcome, from one goroutine at a time.
func (o *oracle) run(ctx context.Context, s source, see func(outcome)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var next atomic.Int64
	var mu sync.Mutex
	failures := make([]error, o.jobs)
	var wg sync.WaitGroup
	for job := range o.jobs {
		wg.Go(func() {
			failures[job] = o.work(ctx, job, s, &next, func(out outcome) {
				mu.Lock()
				defer mu.Unlock()
				see(out)
			})
			if failures[job] != nil {
				cancel()
			}
		})
	}
	wg.Wait()
	return errors.Join(failures...)
}

func (o *oracle) work(ctx context.Context, job int, s source, next *atomic.Int64, see func(outcome)) error {
	w, err := o.newWorker(ctx, job)
	if err != nil {
		return err
	}
	defer w.Close()
	for ctx.Err() == nil {
		first := int(next.Add(batchSize)) - batchSize
		if first >= s.count {
			return nil
		}
		var batch []outcome
		for number := first; number < min(first+batchSize, s.count); number++ {
			batch = append(batch, outcome{sample: s.at(number), Number: number})
		}
		if err := w.judge(ctx, batch); err != nil {
			return err
		}
		for _, out := range batch {
			see(out)
		}
	}
	return ctx.Err()
}

// worker is one jail with one analysis.
type worker struct {
	oracle   *oracle
	number   int
	jail     *jail
	analyzer analyzer
}

func (o *oracle) newWorker(ctx context.Context, number int) (*worker, error) {
	a, err := o.analyzer(ctx)
	if err != nil {
		return nil, err
	}
	j, err := openJail(ctx, o.kit, number)
	if err != nil {
		return nil, err
	}
	return &worker{o, number, j, a}, nil
}

// Close ends the jail.
func (w *worker) Close() error { return w.jail.Close() }

// judge runs and analyses batch at the same time and compares.
func (w *worker) judge(ctx context.Context, batch []outcome) error {
	requests := make([]request, len(batch))
	for i := range batch {
		requests[i] = batch[i].request()
	}
	var observed []observation
	var failed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		observed, failed = w.observe(ctx, requests)
	}()
	for i := range batch {
		begin := time.Now()
		batch[i].Claim, batch[i].Findings = w.claim(batch[i].Line)
		batch[i].Took = time.Since(begin)
	}
	<-done
	if failed != nil {
		return failed
	}
	for i := range batch {
		b := &batch[i]
		b.Observed = observed[i]
		if len(b.Findings) == 0 {
			b.Findings = compare(b.Claim, b.Observed, b.Fixed && !complained(b.Observed))
		}
	}
	return nil
}

func (s sample) request() request {
	r := request{Line: s.Line, Status: s.Status, Output: s.Output, Real: alwaysReal()}
	if s.Writers {
		r.Real = append(r.Real, writersReal()...)
	}
	return r
}

// complaint is how a shell finds fault with a line or a script.
var complaint = regexp.MustCompile(`(?m)^(/usr)?(/bin/)?(ba|da)?sh: |^[^ ]*: line \d+: `)

// complained reports whether a shell found fault with the line: such a line
// may well be called unresolved, though what it does is fixed.
func complained(o observation) bool { return complaint.MatchString(o.Said) }

// claim asks the analysis; one that panics is a finding.
func (w *worker) claim(line string) (c claim, found []finding) {
	defer func() {
		if r := recover(); r != nil {
			found = []finding{{crash, fmt.Sprintf("%v\n%s", r, debug.Stack())}}
		}
	}()
	c, err := w.analyzer.analyze(line)
	if err != nil {
		return c, []finding{{crash, err.Error()}}
	}
	return c, nil
}

// observe has the jail run requests. Where a line breaks the jail the batch is
// run again line by line, so that one line costs only itself.
func (w *worker) observe(ctx context.Context, requests []request) ([]observation, error) {
	got, err := w.jail.run(requests)
	if err == nil {
		return got, nil
	}
	if err := w.reopen(ctx); err != nil {
		return nil, err
	}
	got = make([]observation, len(requests))
	for i := range requests {
		one, err := w.jail.run(requests[i : i+1])
		if err == nil {
			got[i] = one[0]
			continue
		}
		got[i] = observation{Exit: -1, TimedOut: true, Said: "the jail ended: " + err.Error()}
		if err := w.reopen(ctx); err != nil {
			return nil, err
		}
	}
	return got, nil
}

func (w *worker) reopen(ctx context.Context) error {
	_ = w.jail.Close() // it is broken already
	var err error
	w.jail, err = openJail(ctx, w.oracle.kit, w.number)
	return err
}

// has reports whether one of the findings is of kind.
func (o outcome) has(kind findingKind) bool {
	return slices.ContainsFunc(o.Findings, func(f finding) bool { return f.Kind == kind })
}

// missed reports whether the line breaks the promise.
func (o outcome) missed() bool {
	return slices.ContainsFunc(o.Findings, func(f finding) bool { return f.Kind.miss() })
}
