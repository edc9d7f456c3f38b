package paths

import (
	"strings"
	"testing"
)

func TestReadAsPiDoes(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"relative", "src/a.go", "/proj/src/a.go"},
		{"absolute", "/etc/hosts", "/etc/hosts"},
		{"dot", ".", "/proj"},
		{"climbs", "../x", "/x"},
		{"cleans", "/a/./b//c/../d", "/a/b/d"},
		{"home", "~", "/home/u"},
		{"below home", "~/x", "/home/u/x"},
		{"another's home is a name", "~root/x", "/proj/~root/x"},
		{"at sign", "@src/a.go", "/proj/src/a.go"},
		{"at sign once", "@@x", "/proj/@x"},
		{"at sign and home", "@~/x", "/home/u/x"},
		{"file URL", "file:///etc/hosts", "/etc/hosts"},
		{"file URL of this host", "file://localhost/etc/hosts", "/etc/hosts"},
		{"file URL in capitals", "FILE:///etc/hosts", "/etc/hosts"},
		{"at sign and file URL", "@file:///etc/hosts", "/etc/hosts"},
		{"percent in a URL once", "file:///a%20b%2525", "/a b%25"},
		{"query of a URL", "file:///a?b#c", "/a"},
		{"percent outside a URL stays", "a%20b", "/proj/a%20b"},
		{"no-break space", "a\u00a0b", "/proj/a b"},
		{"narrow space", "a\u202fb", "/proj/a b"},
		{"ideographic space", "a\u3000b", "/proj/a b"},
		{"zero width stays", "a\u200bb", "/proj/a\u200bb"},
		{"newline stays", "a\nb", "/proj/a\nb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Read(tt.raw, "/proj", "/home/u")
			if err != nil || got != tt.want {
				t.Errorf("Read(%q) = %q, %v; want %q", tt.raw, got, err, tt.want)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"empty", "", "empty"},
		{"too long", strings.Repeat("a", 4097), "4097 bytes"},
		{"not UTF-8", "a\xff", "UTF-8"},
		{"NUL", "a\x00b", "NUL"},
		{"NUL in a URL", "file:///a%00b", "NUL"},
		{"another host", "file://evil/etc", "evil"},
		{"broken escape", "file:///a%zz", "decode"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Read(tt.raw, "/proj", "/home/u")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Read(%.20q) = %q, %v; want an error with %q", tt.raw, got, err, tt.want)
			}
		})
	}
}

func TestWithin(t *testing.T) {
	tests := []struct {
		root, path string
		want       bool
	}{
		{"/a", "/a", true},
		{"/a", "/a/b", true},
		{"/a", "/ab", false},
		{"/a", "/", false},
		{"/", "/a", true},
		{"", "/a", false},
		{"/a/b", "/a", false},
	}
	for _, tt := range tests {
		if got := Within(tt.root, tt.path); got != tt.want {
			t.Errorf("Within(%q, %q) = %v", tt.root, tt.path, got)
		}
	}
	if !WithinFold("/A/b", "/a/B/c") || Within("/A/b", "/a/B/c") {
		t.Error("only WithinFold ignores case")
	}
}
