package scripted

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ask posts a request as pi does and returns the data lines of the answer.
func ask(t *testing.T, m *Model, body string) []string {
	t.Helper()
	response, err := http.Post(m.URL()+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		return []string{response.Status}
	}
	var lines []string
	for _, line := range strings.Split(string(text), "\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			lines = append(lines, data)
		}
	}
	return lines
}

func startModel(t *testing.T, turns ...Turn) *Model {
	t.Helper()
	m, err := StartModel(turns)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func TestModelPlaysTurns(t *testing.T) {
	m := startModel(t,
		Turn{Text: "Looking.", Calls: []Call{{"bash", `{"command":"ls"}`}, {"read", `{"path":"a"}`}}},
		Turn{Text: "Done."})

	first := ask(t, m, `{"messages":[{"role":"user","content":"go"}]}`)
	if len(first) != 3 || first[2] != "[DONE]" {
		t.Fatalf("first answer: %q", first)
	}
	for _, want := range []string{`"content":"Looking."`, `"id":"call_1_1"`, `"id":"call_1_2"`, `"name":"read"`} {
		if !strings.Contains(first[0], want) {
			t.Errorf("first chunk lacks %s: %s", want, first[0])
		}
	}
	if !strings.Contains(first[1], `"finish_reason":"tool_calls"`) {
		t.Errorf("second chunk: %s", first[1])
	}
	if second := ask(t, m, `{"messages":[]}`); !strings.Contains(second[1], `"finish_reason":"stop"`) {
		t.Errorf("second answer: %q", second)
	}
	if third := ask(t, m, `{"messages":[]}`); !strings.Contains(third[0], "The script has ended.") {
		t.Errorf("answer after the last turn: %q", third)
	}
	var final []bool
	for _, r := range m.Requests() {
		final = append(final, r.Final)
	}
	if diff := cmp.Diff([]bool{false, true, true}, final); diff != "" {
		t.Errorf("final requests (-want +got):\n%s", diff)
	}
}

func TestModelKeepsWhatItWasTold(t *testing.T) {
	m := startModel(t)
	ask(t, m, `{
		"tools": [{"type":"function","function":{"name":"bash"}}],
		"messages": [
			{"role":"system","content":"Be brief."},
			{"role":"user","content":[{"type":"text","text":"go"},{"type":"text","text":"on"}]},
			{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"bash","arguments":"{}"}}]},
			{"role":"tool","content":"refused","tool_call_id":"1"}]}`)
	want := "[user] go\non\n[tool] refused\n"
	if diff := cmp.Diff(want, m.Told()); diff != "" {
		t.Errorf("Told (-want +got):\n%s", diff)
	}
	if calls := m.Requests()[0].Messages[2].Calls; len(calls) != 1 || calls[0] != (Call{Name: "bash", Arguments: "{}"}) {
		t.Errorf("calls of the assistant's message: %+v", calls)
	}
	if m.System() != "Be brief." {
		t.Errorf("System = %q", m.System())
	}
	if diff := cmp.Diff([]string{"bash"}, m.Requests()[0].Tools); diff != "" {
		t.Errorf("Tools (-want +got):\n%s", diff)
	}
}

func TestModelRefusesWhatIsNoRequest(t *testing.T) {
	m := startModel(t)
	if got := ask(t, m, "{"); got[0] != "400 Bad Request" {
		t.Errorf("answer %q", got)
	}
	if len(m.Requests()) != 0 {
		t.Error("a broken request took a turn")
	}
}

func TestConfigureNamesTheModel(t *testing.T) {
	m := startModel(t)
	home := t.TempDir()
	if err := m.Configure(home); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(home, ".pi", "agent", "models.json"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Providers map[string]struct {
			BaseURL string `json:"baseUrl"`
			Models  []struct {
				ID string `json:"id"`
			} `json:"models"`
		} `json:"providers"`
	}
	if err := json.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	if got := config.Providers[Provider]; got.BaseURL != m.URL() || len(got.Models) != 1 || got.Models[0].ID != Provider {
		t.Errorf("models.json: %s", data)
	}
}
