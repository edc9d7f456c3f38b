package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
)

// blackBox is an analysis in a process of its own that speaks the protocol of
// pi-guard analyze --batch: one JSON object a line, both ways.
type blackBox struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	next int
}

// blackBoxAnswer is one line of the answer.
type blackBoxAnswer struct {
	ID       string `json:"id"`
	Commands []struct {
		Argv       []string `json:"argv"`
		Unresolved []int    `json:"unresolved"`
		Dir        string   `json:"cwd"`
	} `json:"commands"`
	Redirects []struct {
		Op         string `json:"op"`
		Target     string `json:"target"`
		Unresolved bool   `json:"unresolved"`
	} `json:"redirects"`
	Unresolved bool `json:"unresolved"`
	ParseError bool `json:"parse_error"`
}

// startBlackBox runs command where the jail's project and home can be read
// under the paths they have in the jail.
func startBlackBox(ctx context.Context, k *kit, command string) (*blackBox, error) {
	args := []string{"--die-with-parent", "--dev", "/dev", "--proc", "/proc"}
	entries, err := os.ReadDir("/")
	if err != nil {
		return nil, fmt.Errorf("starting the analysis: %w", err)
	}
	for _, e := range entries {
		path := "/" + e.Name()
		switch {
		case slices.Contains([]string{"/dev", "/proc", "/home", projectDir}, path):
		case e.Type()&os.ModeSymlink != 0:
			if target, err := os.Readlink(path); err == nil {
				args = append(args, "--symlink", target, path)
			}
		default:
			args = append(args, "--ro-bind", path, path)
		}
	}
	args = append(args,
		"--ro-bind", k.root()+projectDir, projectDir, "--ro-bind", k.root()+homeDir, homeDir,
		"bash", "-c", command)
	cmd := exec.CommandContext(ctx, "bwrap", args...)
	cmd.Stderr = os.Stderr
	b := &blackBox{cmd: cmd}
	if b.in, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("starting the analysis: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the analysis: %w", err)
	}
	b.out = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the analysis in bubblewrap: %w", err)
	}
	return b, nil
}

func (b *blackBox) analyze(line string) (claim, error) {
	b.next++
	id := strconv.Itoa(b.next)
	question, err := json.Marshal(map[string]any{
		"id": id, "cmd": line, "cwd": projectDir, "home": homeDir, "env": knownVars(),
	})
	if err != nil {
		return claim{}, err
	}
	if _, err := b.in.Write(append(question, '\n')); err != nil {
		return claim{}, fmt.Errorf("asking the analysis: %w", err)
	}
	text, err := b.out.ReadBytes('\n')
	if err != nil {
		return claim{}, fmt.Errorf("hearing from the analysis: %w", err)
	}
	var answer blackBoxAnswer
	if err := json.Unmarshal(text, &answer); err != nil {
		return claim{}, fmt.Errorf("hearing from the analysis: %w", err)
	}
	if answer.ID != id {
		return claim{}, fmt.Errorf("hearing from the analysis: an answer to %q, not %q", answer.ID, id)
	}
	return answer.claim(), nil
}

// claim reads an answer. It says nothing of what is unknown about a word, so
// that an unknown one may be any number of words, and nothing of effects.
func (a blackBoxAnswer) claim() claim {
	c := claim{Unresolved: a.Unresolved || a.ParseError, Effectless: true}
	if c.Unresolved {
		c.Reasons = []string{"not told"}
	}
	for _, command := range a.Commands {
		if len(command.Argv) == 0 {
			continue
		}
		said := claimCommand{Dir: claimWord{Value: bashast.Known(command.Dir)}}
		if !strings.HasPrefix(command.Dir, "/") {
			said.Dir = claimWord{}
		}
		for i, word := range command.Argv {
			if slices.Contains(command.Unresolved, i) {
				said.Words = append(said.Words, claimWord{Many: true})
			} else {
				said.Words = append(said.Words, claimWord{Value: bashast.Known(word)})
			}
		}
		c.Commands = append(c.Commands, said)
	}
	for _, r := range a.Redirects {
		if !strings.Contains(r.Op, ">") {
			continue
		}
		w := claimWrite{Target: bashast.Known(r.Target)}
		if r.Unresolved {
			w.Target = bashast.Unknown("not told")
		}
		c.Writes = append(c.Writes, w)
	}
	return c
}
