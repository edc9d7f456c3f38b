package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// update writes the captures of the documentation anew.
var update = flag.Bool("update", false, "write docs/captures from what is on the screen")

// captureWidth is how wide a capture is: the lines that pi draws across the
// whole terminal are cut to it.
const captureWidth = 76

// countdown is the time that pi shows beside a title, which runs.
var countdown = regexp.MustCompile(` \(\d+s\)`)

// capture holds the open dialog to its picture in the documentation.
func capture(_ context.Context, p seat, args []string) error {
	t, ok := p.(*terminalSeat)
	if !ok {
		return nil // the terminal's own run of the scenario sees to it
	}
	got, err := t.dialogPicture()
	if err != nil {
		return err
	}
	file := filepath.Join(t.scene.docs, "captures", args[0]+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, []byte(got), 0o644)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		return fmt.Errorf("the dialog is not that of %s (-want +got), -update writes it:\n%s", file, diff)
	}
	return nil
}

// dialogPicture is the open selector from rule to rule, without what differs
// from run to run.
func (t *terminalSeat) dialogPicture() (string, error) {
	lines := strings.Split(t.screen(), "\n")
	first, last := -1, -1
	for i, line := range lines {
		rule := strings.HasPrefix(line, "────")
		switch {
		case strings.HasPrefix(line, selected):
			last = i
		case rule && last < 0:
			first = i
		case rule && first >= 0:
			return t.plain(lines[first : i+1]), nil
		}
	}
	return "", errors.New("no dialog is open")
}

func (t *terminalSeat) plain(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		line = strings.ReplaceAll(line, t.scene.project, "~/project")
		line = strings.ReplaceAll(line, t.scene.work, "~")
		line = countdown.ReplaceAllString(line, "")
		if runes := []rune(line); len(runes) > captureWidth && strings.HasPrefix(line, "──") {
			line = string(runes[:captureWidth])
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
