package ledger

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

//go:embed claims.json
var claimsJSON []byte

// claimTable is what a claim of success looks like in a final message.
type claimTable struct {
	Patterns []struct {
		Reason  string   `json:"reason"`
		Pattern string   `json:"pattern"`
		Match   []string `json:"match"`
		Keep    []string `json:"keep"`

		re *regexp.Regexp
	} `json:"patterns"`
	Negations struct {
		Pattern string `json:"pattern"`
	} `json:"negations"`

	negation *regexp.Regexp
}

var loadClaims = sync.OnceValue(func() *claimTable {
	var t claimTable
	if err := json.Unmarshal(claimsJSON, &t); err != nil {
		panic(fmt.Sprintf("claims.json: %v", err)) // embedded: tests read it
	}
	for i := range t.Patterns {
		t.Patterns[i].re = regexp.MustCompile(t.Patterns[i].Pattern)
	}
	t.negation = regexp.MustCompile(t.Negations.Pattern)
	return &t
})

var sentenceEnd = regexp.MustCompile(`[.!?]\s|\n`)

// ClaimsSuccess reports whether a text says that tests, a build or a check
// passed, and returns the sentence.
func ClaimsSuccess(text string) (sentence string, claims bool) {
	t := loadClaims()
	for _, s := range sentenceEnd.Split(text, -1) {
		for i := range t.Patterns {
			if t.Patterns[i].re.MatchString(s) && !t.negation.MatchString(s) {
				return strings.TrimSpace(s), true
			}
		}
	}
	return "", false
}

// ClaimFooter is the visible footer for a final message that claims success
// which the gate's answer does not support, "" when there is nothing to add
// (E7).
func ClaimFooter(text string, answer *GateAnswer) string {
	if answer.Decision == GatePass && (len(answer.Evidence) > 0 || !answer.SourcesChanged) {
		return ""
	}
	sentence, claims := ClaimsSuccess(text)
	if !claims {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "⚠ pi-guard: “%s” is not supported by what was observed.", clip(sentence, 160))
	for i, r := range answer.Reasons {
		if i == 3 {
			fmt.Fprintf(&out, "\n  … and %d more", len(answer.Reasons)-i)
			break
		}
		out.WriteString("\n  - " + r.sentence())
	}
	return out.String()
}
