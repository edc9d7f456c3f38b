// Command oracletool compares what bash does with what bashast says it would
// do (spec row N1). It runs lines, generated and given, under real bash in a
// jail whose programs only record that they were started, and reports every
// program and every write that the analysis neither listed nor called
// unresolved, and every line it called unresolved though the line fixes what
// happens. scripts/oracle builds and runs it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	if ran, err := jailed(os.Args); ran {
		if err != nil {
			fmt.Fprintln(os.Stderr, "oracle: jail:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := command(ctx, os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
	}
	stop()
	os.Exit(code)
}

// jailed runs the part of this program that lives inside the jail, if args
// ask for it.
func jailed(args []string) (bool, error) {
	switch {
	case len(args) == 2 && args[1] == driverArg:
		return true, drive(os.Stdin, os.Stdout)
	case len(args) == 3 && args[1] == enterArg:
		return true, enter(args[2])
	}
	return false, nil
}

// options are the flags of the command.
type options struct {
	n       int
	seed    uint64
	fixed   bool
	only    string
	lines   string
	analyze string
	shrink  int
	jobs    int
	json    bool
	verbose bool
	writers bool
}

func parseOptions(args []string) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("oracle", flag.ContinueOnError)
	flags.IntVar(&o.n, "n", 5000, "number of lines to generate")
	flags.Uint64Var(&o.seed, "seed", 0, "seed of the lines; 0 draws one and prints it")
	flags.BoolVar(&o.fixed, "fixed", false, "only lines that fix what happens")
	flags.StringVar(&o.only, "gen", "", "put the construct `kind/name` of grammar.txt into every line")
	flags.StringVar(&o.lines, "lines", "", "run the lines of `file` instead: JSONL with \"cmd\"")
	flags.StringVar(&o.analyze, "analyze", "", "hold the `command` to account, as 'pi-guard analyze --batch', not the analysis of this build")
	flags.IntVar(&o.shrink, "shrink", 40, "number of groups of findings to make smaller; 0 for none")
	flags.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "jails that run side by side")
	flags.BoolVar(&o.json, "json", false, "print one JSON object for each group, and one for the numbers")
	flags.BoolVar(&o.verbose, "v", false, "with numbers for each construct")
	flags.BoolVar(&o.writers, "writers", false, "with --lines: rm, cp, tee and the like are the real programs")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.seed == 0 {
		o.seed = rand.Uint64() >> 16
	}
	return o, nil
}

// command runs the oracle. The exit code is 0 when no line was missed, 1 when
// one was or the run failed, 2 for wrong usage.
func command(ctx context.Context, args []string, out io.Writer) (int, error) {
	opts, err := parseOptions(args)
	if err != nil {
		return 2, err
	}
	o, done, err := open(ctx, opts)
	if err != nil {
		return 1, err
	}
	defer done()
	s, err := o.source(opts)
	if err != nil {
		return 2, err
	}
	if !opts.json {
		fmt.Fprintf(out, "seed %d\n", opts.seed)
	}
	begin := time.Now()
	r := newReport()
	if err := o.run(ctx, s, r.add); err != nil {
		return 1, err
	}
	took := time.Since(begin)
	groups, err := o.smaller(ctx, opts, r.byKind())
	if err != nil {
		return 1, err
	}
	if opts.json {
		err = writeJSON(out, opts, r, groups)
	} else {
		writeText(out, opts, r, groups)
		fmt.Fprintf(out, "%.0f lines a second\n", float64(r.Lines)/took.Seconds())
	}
	return count(r.MissLines > 0), err
}

// open builds what a run needs; done takes it away again.
func open(ctx context.Context, opts options) (*oracle, func(), error) {
	g, err := readGrammar(grammarText)
	if err != nil {
		return nil, nil, err
	}
	k, err := newKit(ctx)
	if err != nil {
		return nil, nil, err
	}
	o := &oracle{kit: k, grammar: g, jobs: opts.jobs}
	o.analyzer = func(context.Context) (analyzer, error) { return inProcess{analysisEnv(k.root())}, nil }
	if opts.analyze != "" {
		o.analyzer = func(ctx context.Context) (analyzer, error) { return startBlackBox(ctx, k, opts.analyze) }
	}
	return o, func() { _ = k.Close() }, nil
}

// source is where the lines come from.
func (o *oracle) source(opts options) (source, error) {
	if opts.only != "" && !o.grammar.has(opts.only) {
		return source{}, fmt.Errorf("there is no generator %q in grammar.txt", opts.only)
	}
	if opts.lines != "" {
		return givenLines(opts.lines, opts.writers)
	}
	s := o.generated(opts.seed, opts.n, opts.only)
	if opts.fixed {
		s = s.fixed()
	}
	return s, nil
}

// fixed leaves out lines that do not fix what happens, by drawing others in
// their place.
func (s source) fixed() source {
	at := s.at
	return source{s.count, func(number int) sample {
		for try := number; ; try += s.count {
			if made := at(try); made.Fixed {
				return made
			}
		}
	}}
}

// givenLines reads lines from a JSONL file; nothing is known of them.
func givenLines(path string, writers bool) (source, error) {
	f, err := os.Open(path)
	if err != nil {
		return source{}, err
	}
	defer f.Close()
	var samples []sample
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for number := 1; lines.Scan(); number++ {
		var row struct{ Cmd, ID, Class string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return source{}, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		samples = append(samples, sample{Line: row.Cmd, Writers: writers, Path: []string{"given " + row.Class, row.ID}})
	}
	if err := lines.Err(); err != nil {
		return source{}, fmt.Errorf("reading %s: %w", path, err)
	}
	return source{len(samples), func(number int) sample { return samples[number] }}, nil
}

// smaller makes the first groups smaller, so that groups of one cause meet.
func (o *oracle) smaller(ctx context.Context, opts options, groups []*group) ([]*group, error) {
	first := groups[:min(len(groups), opts.shrink)]
	var next atomic.Int64
	failures := make([]error, o.jobs)
	var wg sync.WaitGroup
	for job := range min(o.jobs, len(first)) {
		wg.Go(func() {
			w, err := o.newWorker(ctx, job)
			if err != nil {
				failures[job] = err
				return
			}
			defer w.Close()
			for i := next.Add(1) - 1; i < int64(len(first)); i = next.Add(1) - 1 {
				s := &shrinker{worker: w, only: opts.only}
				first[i].Examples[0] = s.shrink(ctx, first[i].Examples[0], first[i].Kind)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	return merge(groups), ctx.Err()
}

func writeText(out io.Writer, opts options, r *report, groups []*group) {
	for i, g := range groups {
		fmt.Fprintf(out, "\n%d. %s, %d times (line %d of seed %d)\n", i+1, g.Kind, g.Count, g.Examples[0].Number, opts.seed)
		describe(out, g.Examples[0], g.Kind)
	}
	fmt.Fprintln(out)
	if opts.verbose {
		r.constructs(out)
	}
	r.summary(out)
}

func writeJSON(out io.Writer, opts options, r *report, groups []*group) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for _, g := range groups {
		e := g.Examples[0]
		row := map[string]any{
			"kind": g.Kind, "count": g.Count, "line": e.Line, "findings": e.Findings, "seed": opts.seed, "number": e.Number,
			"starts": e.Observed.Starts, "changes": e.Observed.Changes, "reasons": e.Claim.Reasons,
		}
		if err := enc.Encode(row); err != nil {
			return err
		}
	}
	return enc.Encode(map[string]any{
		"seed": opts.seed, "lines": r.Lines, "starts": r.Starts, "changes": r.Changes, "limited": r.TimedOut, "misses": r.MissLines,
		"fixed": r.Fixed, "overAsked": r.OverAsked, "unresolved": r.Unresolved, "blurred": r.Blurred, "idle": r.Idle,
	})
}
