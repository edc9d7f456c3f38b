package house

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pi-guard/pi-guard/cmd/pi-guard/scripted"
	"github.com/pi-guard/pi-guard/scripts/internal/pis"
)

// pages are the pages with something to run, from the root.
func pages(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return append(docs, filepath.Join(root(t), "README.md"))
}

// update copies the pictures of docs/captures onto the pages.
var update = flag.Bool("update", false, "copy docs/captures onto the pages")

// Every command of the documentation does what the documentation says: lines
// after "$ " in console blocks in bash, lines after "> " in pi blocks at a
// real pi.
func TestDocumentation(t *testing.T) {
	if testing.Short() {
		t.Skip("the commands of the documentation need pi")
	}
	install, err := pis.Releases()[0].Get(t.Context(), func(step string) { t.Log(step) })
	if err != nil {
		t.Fatal(err)
	}
	guard := filepath.Join(t.TempDir(), "bin", "pi-guard")
	build := exec.Command("go", "build", "-o", guard, "./cmd/pi-guard")
	build.Dir = root(t)
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building pi-guard: %v\n%s", err, output)
	}
	for _, page := range pages(t) {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			if *update {
				copyPictures(t, page)
			}
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			r := newReader(t, install, guard)
			for _, b := range parsePage(string(text)) {
				r.read(b)
			}
		})
	}
}

// reader does what a page says, in a home and a project of its own.
type reader struct {
	t             *testing.T
	root          string
	home, project string
	env           []string
	install       pis.Install
	person        *scripted.Person // at pi, nil before the first pi block
}

func newReader(t *testing.T, install pis.Install, guard string) *reader {
	home := t.TempDir()
	r := &reader{t: t, root: root(t), home: home, project: filepath.Join(home, "project"), install: install}
	if err := os.Mkdir(r.project, 0o755); err != nil {
		t.Fatal(err)
	}
	r.env = append(os.Environ(),
		"HOME="+home, "XDG_DATA_HOME=", "PI_OFFLINE=1", "PI_GUARD_BIN="+guard, "PI_GUARD_REPO="+r.root,
		"PATH="+filepath.Dir(guard)+":"+filepath.Dir(install.Pi)+":"+os.Getenv("PATH"))
	// A clone's caches are the machine's own, wherever home is.
	if cache, err := pis.CacheDir(); err == nil {
		r.env = append(r.env, "PI_GUARD_CACHE="+cache)
	}
	for _, variable := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		if value, err := exec.Command("go", "env", variable).Output(); err == nil {
			r.env = append(r.env, variable+"="+strings.TrimSpace(string(value)))
		}
	}
	return r
}

func (r *reader) read(b block) {
	switch b.kind {
	case "file":
		r.write(b)
	case "capture":
		r.compare(b)
	case "console":
		for _, e := range b.exchanges("$ ") {
			r.expect(e, r.run(e.typed))
		}
	case "pi":
		r.sit(b)
		for _, e := range b.exchanges("> ") {
			r.expect(e, r.say(e))
		}
	}
}

func (r *reader) expect(e exchange, got string) {
	if got = asPage(got, r.home); !matches(e.want, got) {
		r.t.Errorf("line %d: %s\nthe page says:\n%s\n\nbut it is:\n%s", e.line, e.typed, strings.Join(e.want, "\n"), got)
	}
}

func (r *reader) write(b block) {
	file := filepath.Join(r.project, b.name)
	if rest, ok := strings.CutPrefix(b.name, "~/"); ok {
		file = filepath.Join(r.home, rest)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(b.text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// compare holds a picture on the page to the one that the end-to-end
// scenarios hold to the screen.
func (r *reader) compare(b block) {
	picture, err := os.ReadFile(filepath.Join(r.root, "docs", "captures", b.name+".txt"))
	if err != nil {
		r.t.Fatal(err)
	}
	if string(picture) != b.text {
		r.t.Errorf("line %d: the picture is not docs/captures/%s.txt:\n%s", b.line, b.name, picture)
	}
}

// captureBlock is a picture on a page.
var captureBlock = regexp.MustCompile("(?s)(<!-- capture: (\\S+) -->\n```text\n).*?(```\n)")

func copyPictures(t *testing.T, page string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text = captureBlock.ReplaceAllFunc(text, func(block []byte) []byte {
		m := captureBlock.FindSubmatch(block)
		picture, err := os.ReadFile(filepath.Join(root(t), "docs", "captures", string(m[2])+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		return slices.Concat(m[1], picture, m[3])
	})
	if err := os.WriteFile(page, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// run is what a command prints, and how it ends when not well.
func (r *reader) run(command string) string {
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir, cmd.Env = r.project, r.env
	output, err := cmd.CombinedOutput()
	text := string(output)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		text = strings.TrimSuffix(text, "\n") + fmt.Sprintf("\n[exit status %d]", exit.ExitCode())
	case err != nil:
		text += err.Error()
	}
	return strings.TrimPrefix(text, "\n")
}

// sit sits down at a pi, unless the page has one open.
func (r *reader) sit(b block) {
	if r.person != nil {
		return
	}
	model, err := scripted.StartModel(nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = model.Close() })
	if err := model.Configure(r.home); err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command(r.install.Pi, "--mode", "rpc", "--provider", scripted.Provider, "--model", scripted.Provider,
		"-e", filepath.Join(r.root, "cmd", "pi-guard", "extension", "index.ts"))
	cmd.Dir, cmd.Env = r.project, r.env
	if r.person, err = scripted.Sit(cmd); err != nil {
		r.t.Fatalf("line %d: %v", b.line, err)
	}
	r.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := r.person.Leave(ctx); err != nil {
			r.t.Errorf("pi: %v\n%s", err, r.person.Stderr())
		}
	})
}

// say types a command at pi and is what the person is told.
func (r *reader) say(e exchange) string {
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	from := len(r.person.Events())
	if _, err := r.person.Command(ctx, "prompt", map[string]any{"message": e.typed}); err != nil {
		r.t.Fatalf("line %d: %v", e.line, err)
	}
	if len(e.want) == 0 {
		return ""
	}
	told, _, err := r.person.Await(ctx, from, func(event scripted.Event) bool { return event.Method == "notify" })
	if err != nil {
		r.t.Fatalf("line %d: %s: %v", e.line, e.typed, err)
	}
	return told.MessageText()
}

// A page that is linked is there, and a page that is there is linked from the
// README or from a page that is.
func TestLinks(t *testing.T) {
	linked := []string{"README.md"}
	for i := 0; i < len(linked); i++ {
		text, err := os.ReadFile(filepath.Join(root(t), linked[i]))
		if err != nil {
			t.Errorf("%s is linked and is not there", linked[i])
			continue
		}
		for _, target := range links(string(text)) {
			page := filepath.Join(filepath.Dir(linked[i]), target)
			if !slices.Contains(linked, page) {
				linked = append(linked, page)
			}
		}
	}
	for _, page := range pages(t) {
		name, err := filepath.Rel(root(t), page)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(linked, name) {
			t.Errorf("no page links to %s", name)
		}
	}
}

// links are the Markdown files that a page links to.
func links(text string) []string {
	var found []string
	for _, part := range strings.Split(text, "](")[1:] {
		target, _, _ := strings.Cut(part, ")")
		target, _, _ = strings.Cut(target, "#")
		if strings.HasSuffix(target, ".md") && !strings.Contains(target, "://") {
			found = append(found, target)
		}
	}
	return found
}
