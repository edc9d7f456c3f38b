package bashast

import "testing"

// TestOutput says what programs print whose output their words and input fix.
func TestOutput(t *testing.T) {
	unknown := "…"
	for _, tt := range []struct{ line, stdin, want string }{
		{"echo a b", "", "a b\n"},
		{"echo -n a", "", "a"},
		{"echo -ne 'a\\tb\\x41\\0101'", "", "a\tbAA"},
		{"echo -e 'a\\cb'", "", "a"},
		{"echo -E 'a\\n'", "", "a\\n\n"},
		{"echo 'a\\nb'", "", "a\\nb\n"},
		{"echo -x", "", "-x\n"},
		{"echo $x", "", unknown + "\n"},
		{"printf 'rm %s /' -rf", "", "rm -rf /"},
		{"printf '%s\\n' a b c", "", "a\nb\nc\n"},
		{"printf '\\162\\155'", "", "rm"},
		{"printf '%b' 'a\\x41'", "", "aA"},
		{"printf '%q' /srv", "", "/srv"},
		{"printf '%q' 'a b'", "", "a\\ b"},
		{"printf '%03d|%-4s|%x|%c' 7 ab 255 xyz", "", "007|ab  |ff|x"},
		{"printf '%d' \"'a\"", "", "97"},
		{"printf '%.2s|%5s' abc d", "", "ab|    d"},
		{"printf '%*d' 4 7", "", "   7"},
		{"printf '100%%'", "", "100%"},
		{"printf 'x\\c' y", "", "x"},
		{"printf '%(%F)T' 0", "", unknown},
		{"printf '%d' a", "", unknown},
		{"printf -v c %s rm", "", ""},
		{"base64 -d", "cm0gLXJmIC8=", "rm -rf /"},
		{"base64 --decode", "cm0g\nLXJmIC8=\n", "rm -rf /"},
		{"base64 -D", "cm0=", "rm"},
		{"base64 --dec", "cm0", "rm"},
		{"base64", "rm", "cm0=\n"},
		{"base64 -d", "!!!", unknown},
		{"base64 -d f", "cm0=", unknown},
		{"base32 -d", "OJWQ====", "rm"},
		{"openssl base64 -d", "cm0=", "rm"},
		{"openssl enc -base64 -d -A", "cm0=", "rm"},
		{"openssl enc -d blob", "cm0=", unknown},
		{"xxd -r -p", "726d 20\n2f", "rm /"},
		{"xxd -r", "00000000: 726d 202f 0a              rm /.\n", "rm /\n"},
		{"rev", "mr\nfr-\n", "rm\n-rf\n"},
		{"tac", "a\nb\n", "b\na\n"},
		{"tr a-z A-Z", "rm -x", "RM -X"},
		{"tr -d x", "rxm", "rm"},
		{"tr 'n-za-mN-ZA-M' 'a-zA-Z'", "ez -es", "rm -rf"},
		{"tr [:upper:] [:lower:]", "RM", "rm"},
		{"tr '\\n' ' '", "rm\n-rf\n/", "rm -rf /"},
		{"tr -s a", "aa", unknown},
		{"sed s/x/m/", "rx\nrx", "rm\nrm"},
		{"sed s,a,b,g", "aa", "bb"},
		{"sed s/./b/g", "aa", unknown},
		{"cut -c1-2", "rmx\n", "rm\n"},
		{"cut -d: -f2,3", "a:rm:-rf:b\n", "rm:-rf\n"},
		{"head -1", "a\nb\n", "a\n"},
		{"head -n 1", "a\nb", "a\n"},
		{"head -c2", "rmx", "rm"},
		{"tail -n1", "a\nb\n", "b\n"},
		{"cat", "rm /", "rm /"},
		{"cat -", "rm /", "rm /"},
		{"cat x", "rm /", unknown},
		{"tee x", "rm /", "rm /"},
		{"seq 3", "", "1\n2\n3\n"},
		{"seq -s , 2 2 6", "", "2,4,6\n"},
		{"seq 1 100000000", "", unknown},
		{"basename /a/b.ts .ts", "", "b\n"},
		{"dirname /a/b", "", "/a\n"},
		{"dirname a", "", ".\n"},
		{"pwd", "", "/p\n"},
		{"true", "", ""},
		{"rm -v x", "", unknown},
		{"date", "", unknown},
		{"find src -name '*.ts'", "", "src/….ts"},
		{"find src -name x.ts", "", "src/…x.ts"},
		{"find src -name '*.ts' -o -name y", "", "src/…"},
		{"find src lib", "", "./…"},
		{"find /a/b /a/c", "", "/a/…"},
		{"find . -printf x", "", unknown},
		{"git ls-files", "", "./…"},
		{"rg -l x src", "", "src/…"},
		{"grep -rl x src", "", "src/…"},
		{"grep -r x src", "", unknown},
	} {
		c := testCommand(tt.line)
		if tt.stdin != "" {
			c.Stdin = Known(tt.stdin)
		}
		if got := output(c, Env{}).String(); got != tt.want {
			t.Errorf("output(%s) with input %q = %q, want %q", tt.line, tt.stdin, got, tt.want)
		}
	}
}

// TestListingPassesThrough says which filters keep the lines of a listing.
func TestListingPassesThrough(t *testing.T) {
	for line, want := range map[string]string{
		"sort":          "src/….ts",
		"head -5":       "src/….ts",
		"grep -v x":     "src/…",
		"grep -n x":     "…",
		"uniq -c":       "…",
		"sed s/a/b/":    "…",
		"sed -n 1,5p":   "src/….ts",
		"tr a b":        "…",
		"sed -n s/a/b/": "…",
	} {
		c := testCommand(line)
		c.Stdin = belowDir("src", ".ts", "")
		if got := output(c, Env{}).String(); got != want {
			t.Errorf("output(%s) of a listing = %q, want %q", line, got, want)
		}
	}
}
