package hooks

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/pi-guard/pi-guard/rpc"
)

// bashRun is what pi says about how a bash command ended.
type bashRun struct {
	// Exit is the exit status; nil where pi reported none.
	Exit              *int
	TimedOut, Aborted bool
	// Took is how long it ran; 0 where pi does not say.
	Took time.Duration
	// Output is what it printed, as the model sees it; Truncated says that
	// this is not all.
	Output    string
	Truncated bool
	// failed is pi's own mark.
	failed bool
}

// exitedWith reads pi's line on the exit status of a failed command.
func exitedWith(line string) (code int, ok bool) {
	digits, ok := strings.CutPrefix(line, "Command exited with code ")
	if !ok {
		return 0, false
	}
	code, err := strconv.Atoi(digits)
	return code, err == nil
}

// saysTimedOut reports whether a line is pi's on a command that took too long.
func saysTimedOut(line string) bool {
	rest, ok := strings.CutPrefix(line, "Command timed out after ")
	if !ok {
		return false
	}
	number, _, ok := strings.Cut(rest, " seconds")
	_, err := strconv.ParseFloat(number, 64)
	return ok && err == nil
}

// readBashRun reads a bash result of either pi. Newer ones report the exit
// status apart. Older ones report it in the last line of the text, which the
// command could have printed itself, so it counts only together with isError;
// and they report a command that was killed by a signal as a success without
// output, so that such a success has no exit status.
func readBashRun(r rpc.ToolResult) bashRun {
	text := contentText(r.Content)
	run := bashRun{Output: text, failed: r.IsError}
	last := text
	if i := strings.LastIndexByte(strings.TrimRight(text, "\n"), '\n'); i >= 0 {
		last = text[i+1:]
	}
	last = strings.TrimSpace(last)
	if r.IsError {
		run.TimedOut = saysTimedOut(last)
		run.Aborted = last == "Command aborted"
	}
	if reported := gjson.GetBytes(r.StructuredContent, "exit_code"); reported.Exists() {
		structured := gjson.ParseBytes(r.StructuredContent)
		run.Truncated = structured.Get("truncated").Bool()
		run.Took = time.Duration(structured.Get("wall_time_seconds").Float() * float64(time.Second))
		if reported.Type == gjson.Number && !run.TimedOut && !run.Aborted {
			run.Exit = number(int(reported.Int()))
		}
		return run
	}
	run.Truncated = strings.Contains(text, "[Showing ") || strings.Contains(text, "Full output: ")
	switch code, ok := exitedWith(last); {
	case run.TimedOut || run.Aborted:
	case r.IsError && ok:
		run.Exit = number(code)
	case !r.IsError && strings.TrimSpace(text) != "(no output)":
		run.Exit = number(0)
	}
	return run
}

func number(n int) *int { return &n }

// contentText is the text of a result's text blocks.
func contentText(content json.RawMessage) string {
	var b strings.Builder
	gjson.ParseBytes(content).ForEach(func(_, block gjson.Result) bool {
		if block.Get("type").Str == "text" {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(block.Get("text").Str)
		}
		return true
	})
	return b.String()
}
