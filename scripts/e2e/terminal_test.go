package e2e

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pi-guard/pi-guard/cmd/pi-guard/scripted"
	"github.com/rogpeppe/go-internal/testscript"
)

// terminalSeat is a person at pi in a tmux pane.
type terminalSeat struct {
	scene  *scene
	socket string
	piPID  int
}

// The pane is wide and tall enough that nothing a scenario looks at is cut or
// scrolled away.
const paneWidth, paneHeight = "150", "150"

func sitAtTerminal(ctx context.Context, s *scene, ts *testscript.TestScript, args []string) (seat, error) {
	t := &terminalSeat{scene: s, socket: filepath.Join(s.work, "tmux.sock")}
	pi := s.command(ts, args...)
	// The shell keeps what pi says when it cannot start on the screen.
	start := exec.CommandContext(ctx, "tmux", append([]string{
		"-f", "/dev/null", "-S", t.socket, "new-session", "-d", "-x", paneWidth, "-y", paneHeight,
		pi.Path,
	}, pi.Args[1:]...)...)
	start.Args = append(start.Args, ";", "set-option", "remain-on-exit", "on")
	start.Dir, start.Env = pi.Dir, pi.Env
	if output, err := start.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("starting tmux: %w\n%s", err, output)
	}
	pid, err := t.tmux("display-message", "-p", "#{pane_pid}")
	if err != nil {
		return nil, err
	}
	if t.piPID, err = strconv.Atoi(strings.TrimSpace(pid)); err != nil {
		return nil, err
	}
	// The footer names the model as soon as pi is ready to be typed at.
	if !until(func() bool { return t.dead() || strings.Contains(t.seen(), scripted.Provider) }) {
		return t, errors.New("pi did not draw its footer")
	}
	return t, nil
}

func (t *terminalSeat) tmux(args ...string) (string, error) {
	output, err := exec.Command("tmux", append([]string{"-S", t.socket}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return string(output), nil
}

func (t *terminalSeat) dead() bool {
	output, err := t.tmux("display-message", "-p", "#{pane_dead}")
	return err != nil || strings.TrimSpace(output) == "1"
}

func (t *terminalSeat) keys(keys ...string) error {
	_, err := t.tmux(append([]string{"send-keys"}, keys...)...)
	return err
}

// say types text and sends it. Keys that come while pi still draws its first
// screen are lost, and the first Enter after a command only takes its
// completion; so it looks at the editor, as a person does, and goes on.
func (t *terminalSeat) say(_ context.Context, text string) error {
	// A dialog stands between two rules as well, and may hold the text somewhere.
	in := func() bool { return strings.HasPrefix(t.editor(), flatten(text)) }
	if err := t.insist(func() error {
		if t.editor() != "" {
			return nil // on its way
		}
		_, err := t.tmux("send-keys", "-l", "--", text)
		return err
	}, in); err != nil {
		return fmt.Errorf("typing %q: %w", text, err)
	}
	if err := t.insist(func() error { return t.keys("Enter") }, func() bool { return !in() }); err != nil {
		return fmt.Errorf("sending %q: %w", text, err)
	}
	return nil
}

// insist does something until it has worked, giving it a while each time.
func (t *terminalSeat) insist(do func() error, worked func() bool) error {
	const tries, looks = 8, 60
	for range tries {
		if err := do(); err != nil {
			return err
		}
		for range looks {
			if worked() {
				return nil
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	return fmt.Errorf("the screen does not show it:\n%s", t.screen())
}

// editor is the text in pi's editor, which is between the last two rules of
// the screen.
func (t *terminalSeat) editor() string {
	lines := strings.Split(t.screen(), "\n")
	end := -1
	for i := len(lines) - 1; i >= 0; i-- {
		switch rule := strings.HasPrefix(lines[i], "────"); {
		case rule && end < 0:
			end = i
		case rule:
			return flatten(strings.Join(lines[i+1:end], " "))
		}
	}
	return ""
}

func (t *terminalSeat) screen() string {
	output, err := t.tmux("capture-pane", "-p", "-J")
	if err != nil {
		return err.Error()
	}
	return output
}

// seen is the screen without the frames that pi draws, each run of white
// space one blank, so that a sentence matches wherever pi broke it.
func (t *terminalSeat) seen() string { return flatten(t.screen()) }

func flatten(screen string) string {
	screen = strings.Map(func(r rune) rune {
		if r >= 0x2500 && r <= 0x257f { // box drawing
			return ' '
		}
		return r
	}, screen)
	return unmarked(strings.Join(strings.Fields(screen), " "))
}

// unmarked takes away the marks that a prompt puts around the part of a line
// that it is about, so that a scenario can name the line as it is.
func unmarked(text string) string { return strings.NewReplacer("»", "", "«", "").Replace(text) }

// options are the options of the open selector, and the index of the one its
// arrow points at; -1 when none is open.
func (t *terminalSeat) options() (options []string, marked int) {
	lines := strings.Split(t.screen(), "\n")
	marked = slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, selected) })
	if marked < 0 {
		return nil, -1
	}
	first, end := marked, marked+1
	for first > 0 && isOption(lines[first-1]) {
		first--
	}
	for end < len(lines) && isOption(lines[end]) {
		end++
	}
	for _, line := range lines[first:end] {
		options = append(options, strings.TrimSpace(strings.TrimPrefix(line, selected)))
	}
	return options, marked - first
}

// selected begins the line of the option that pi's selector points at; the
// others are indented as far.
const selected = " → "

func isOption(line string) bool {
	return strings.HasPrefix(line, "   ") && strings.TrimSpace(line) != ""
}

func (t *terminalSeat) choose(_ context.Context, option string) error {
	var options []string
	marked := -1
	if !until(func() bool { options, marked = t.options(); return marked >= 0 }) {
		return errors.New("no dialog is open")
	}
	target := find(options, option)
	if target < 0 {
		return fmt.Errorf("the dialog has no option %q but %q", option, options)
	}
	for ; marked < target; marked++ {
		if err := t.keys("Down"); err != nil {
			return err
		}
	}
	for ; marked > target; marked-- {
		if err := t.keys("Up"); err != nil {
			return err
		}
	}
	if !until(func() bool { _, now := t.options(); return now == target }) {
		return fmt.Errorf("the arrow does not reach %q", option)
	}
	return t.keys("Enter")
}

func (t *terminalSeat) enter(_ context.Context, text string) error {
	if _, err := t.tmux("send-keys", "-l", "--", text); err != nil {
		return err
	}
	return t.keys("Enter")
}

func (t *terminalSeat) dismiss(context.Context) error { return t.keys("Escape") }

func (t *terminalSeat) abort(context.Context) error { return t.keys("Escape") }

func (t *terminalSeat) settle(ctx context.Context) error {
	final := false
	err := t.scene.model.Wait(ctx, func(requests []scripted.Request) bool {
		final = len(requests) > t.scene.asked && requests[len(requests)-1].Final
		return final
	})
	if err != nil {
		return fmt.Errorf("the run did not end: %w", err)
	}
	if !until(func() bool { return !strings.Contains(t.seen(), "Working") }) {
		return errors.New("pi did not stop working")
	}
	return nil
}

func (t *terminalSeat) leave(context.Context) error {
	_ = t.keys("C-c")
	_ = t.keys("C-d")
	gone := until(t.dead)
	_, _ = t.tmux("kill-server")
	if !gone {
		_ = syscall.Kill(t.piPID, syscall.SIGKILL)
		return errors.New("pi did not end after ctrl-d")
	}
	return nil
}

func (t *terminalSeat) pid() int { return t.piPID }
