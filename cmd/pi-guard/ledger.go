package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pi-guard/pi-guard/hooks"
	"github.com/pi-guard/pi-guard/ledger"
	"github.com/pi-guard/pi-guard/profiles"
)

// ledgerCmd reads the evidence of a project. No command of it adds a record.
type ledgerCmd struct {
	List   ledgerListCmd   `cmd:"" help:"Print what was observed, newest first."`
	Tail   ledgerTailCmd   `cmd:"" help:"Print the newest records in the order they were made."`
	Show   ledgerShowCmd   `cmd:"" help:"Print one record whole."`
	Verify ledgerVerifyCmd `cmd:"" help:"Check that every record is there, unchanged and in order."`
}

// evidenceFlags name the project whose evidence a command is about.
type evidenceFlags struct {
	Cwd  string `help:"The project directory. Default: the current one."`
	JSON bool   `name:"json" help:"Print JSON for programs."`
}

// open opens the project's ledger; diags is what is wrong with its policy.
func (f *evidenceFlags) open(ctx context.Context) (*ledger.Ledger, []profiles.Diagnostic, error) {
	project, err := filepath.Abs(f.Cwd)
	if err != nil {
		return nil, nil, err
	}
	opts, err := hooks.DefaultOptions()
	if err != nil {
		return nil, nil, err
	}
	opts.Version = version
	return hooks.OpenLedger(ctx, project, opts)
}

// newest reads at most limit records, newest first; 0 reads all.
func (f *evidenceFlags) newest(ctx context.Context, limit int) ([]ledger.Record, error) {
	if limit < 0 {
		return nil, usageError(fmt.Sprintf("%d records cannot be shown: write 0 for all, or more", limit))
	}
	l, _, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var records []ledger.Record
	for r, err := range l.Records(ctx) {
		if err != nil {
			return nil, err
		}
		if records = append(records, r); len(records) == limit {
			break
		}
	}
	return records, nil
}

// print prints records, a line each.
func (f *evidenceFlags) print(std streams, records []ledger.Record) error {
	if len(records) == 0 && !f.JSON {
		fmt.Fprintln(std.out, "nothing was observed here yet")
	}
	for i := range records {
		if f.JSON {
			if err := writeJSONLine(std.out, &records[i]); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(std.out, recordLine(&records[i]))
	}
	return nil
}

// ledgerListCmd prints the newest records.
type ledgerListCmd struct {
	evidenceFlags
	Limit int `short:"n" default:"50" help:"How many at most; 0 for all."`
}

// Run prints the newest record first.
func (c *ledgerListCmd) Run(std streams) error {
	records, err := c.newest(context.Background(), c.Limit)
	if err != nil {
		return err
	}
	return c.print(std, records)
}

// ledgerTailCmd prints the end of the ledger.
type ledgerTailCmd struct {
	evidenceFlags
	Limit int `short:"n" default:"10" help:"How many at most; 0 for all."`
}

// Run prints the newest record last.
func (c *ledgerTailCmd) Run(std streams) error {
	records, err := c.newest(context.Background(), c.Limit)
	if err != nil {
		return err
	}
	slices.Reverse(records)
	return c.print(std, records)
}

// ledgerShowCmd prints one record.
type ledgerShowCmd struct {
	evidenceFlags
	Number uint64 `arg:"" help:"The record's number, as list prints it."`
}

// Run prints the record of a number; that there is none is a failure.
func (c *ledgerShowCmd) Run(std streams) error {
	ctx := context.Background()
	l, _, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer l.Close()
	for r, err := range l.Records(ctx) {
		switch {
		case err != nil:
			return err
		case r.Seq != c.Number:
			continue
		case c.JSON:
			return writeJSONLine(std.out, &r)
		}
		fmt.Fprint(std.out, recordText(&r))
		return nil
	}
	return fmt.Errorf("there is no authentic record %d: run `pi-guard ledger list` for those there are, and `pi-guard ledger verify`", c.Number)
}

// ledgerVerifyCmd checks the whole ledger.
type ledgerVerifyCmd struct{ evidenceFlags }

// Run prints what was found; a broken ledger is a failure.
func (c *ledgerVerifyCmd) Run(std streams) error {
	ctx := context.Background()
	l, _, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer l.Close()
	report, err := l.Verify(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		err = writeJSONLine(std.out, &report)
	} else {
		_, err = io.WriteString(std.out, reportText(&report))
	}
	if err == nil && !report.Intact {
		return statusFailure
	}
	return err
}

// reportText is what verify says to a person: the first broken record, how it
// is broken, and then the rest.
func reportText(r *ledger.Report) string {
	var out strings.Builder
	switch b := r.FirstBreak(); {
	case b != nil:
		fmt.Fprintf(&out, "broken: record %d is %s\n", b.Seq, flawText[b.Flaw])
	case r.Records == 0:
		out.WriteString("intact: nothing was observed here yet\n")
	default:
		fmt.Fprintf(&out, "intact: %s, %d to %d\n", count(r.Records, "record"), r.First, r.Last)
	}
	for i := range r.Breaks {
		fmt.Fprintf(&out, "  %s\n", printable(r.Breaks[i].Error()))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&out, "  note: %s\n", printable(note))
	}
	return out.String()
}

// flawText says what was done to a record.
var flawText = map[ledger.Flaw]string{
	ledger.Edited: "edited", ledger.Removed: "removed", ledger.Reordered: "out of order", ledger.Copied: "a copy of itself in another place",
	ledger.Cut: "cut off with the end of the file", ledger.Foreign: "not made with this ledger's key",
	ledger.Replaced: "in a file that was replaced or is gone", ledger.Unlinked: "from another history of this ledger",
}

func count(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// recordLine is a record for a list.
func recordLine(r *ledger.Record) string {
	text := r.Command
	if r.Notice != nil {
		text = r.Notice.Kind + ": " + r.Notice.Detail
	}
	line := fmt.Sprintf("%5d  %s  %-8s  %-8s  %s", r.Seq, r.Time().Format("2006-01-02 15:04:05"), endOf(r), by(r), printable(text))
	if r.Verify != nil {
		line += fmt.Sprintf("  [%s]", r.Verify.Outcome)
	}
	return line
}

// endOf is how a run ended.
func endOf(r *ledger.Record) string {
	switch {
	case r.Notice != nil:
		return "notice"
	case r.TimedOut:
		return "time-out"
	case r.Aborted:
		return "aborted"
	case r.ExitCode != nil:
		return "exit " + strconv.Itoa(*r.ExitCode)
	case r.IsError:
		return "error"
	}
	return "not said"
}

// by is who ran the command.
func by(r *ledger.Record) string {
	if r.Notice != nil {
		return "guard"
	}
	return string(r.Source)
}

// recordText is a record whole, a field a line.
func recordText(r *ledger.Record) string {
	var out strings.Builder
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&out, "%-12s  %s\n", name, printable(value))
		}
	}
	field("record", strconv.FormatUint(r.Seq, 10))
	field("time", r.Time().Format("2006-01-02 15:04:05.000 -07:00"))
	if r.Notice != nil {
		field("notice", r.Notice.Kind+": "+r.Notice.Detail)
	} else {
		field("command", r.Command)
		field("directory", r.Cwd)
		field("ended", endOf(r))
		field("took", fmt.Sprintf("%d ms", r.DurationMs))
	}
	field("run by", strings.TrimSpace(by(r)+" "+r.Delegate))
	field("session", r.Session)
	field("mode", r.Mode)
	if v := r.Verify; v != nil {
		field("verifies", v.Command)
		field("outcome", string(v.Outcome))
		field("because", v.Reason)
		field("to do", v.Remedy)
	}
	if c := r.Tests; c != nil {
		field("tests", fmt.Sprintf("%d passed, %d failed, %d skipped (%s)", c.Passed, c.Failed, c.Skipped, c.Runner))
	}
	field("tree before", r.PreDigest)
	field("tree after", r.PostDigest)
	if o := r.Output; o != nil {
		field("output", fmt.Sprintf("%d bytes, %d lines, SHA-256 %s", o.Bytes, o.Lines, o.SHA256))
	}
	return out.String()
}

// printable is a text without what could make a terminal show something else:
// what cannot be printed is written as Go would write it.
func printable(text string) string {
	var out strings.Builder
	for _, c := range text {
		if unicode.IsPrint(c) {
			out.WriteRune(c)
			continue
		}
		quoted := strconv.QuoteRune(c)
		out.WriteString(quoted[1 : len(quoted)-1])
	}
	return out.String()
}

// writeJSONLine prints a value as one line of JSON.
func writeJSONLine(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}
