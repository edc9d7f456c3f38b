package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// piSettings is the text of pi's settings.json, read far enough to change its
// list of packages and nothing else: every other byte stays where it is.
type piSettings struct {
	file string
	data []byte
	root *hujson.Object
	// start and end are where the root stands.
	start, end int
}

// readSettings reads the text of a settings file; an empty one is no settings
// yet. The error says where the text is not what pi can read.
func readSettings(file string, data []byte) (*piSettings, error) {
	s := &piSettings{file: file, data: data}
	if len(bytes.TrimSpace(data)) == 0 {
		return s, nil
	}
	var syntax *json.SyntaxError
	var whole any
	if err := json.Unmarshal(data, &whole); errors.As(err, &syntax) {
		return nil, s.complain(int(syntax.Offset)-1, err.Error(), "mend it by hand: pi cannot read it either")
	} else if err != nil {
		return nil, s.complain(0, err.Error(), "mend it by hand: pi cannot read it either")
	}
	value, err := hujson.Parse(data)
	if err != nil {
		return nil, s.complain(0, err.Error(), "mend it by hand")
	}
	root, ok := value.Value.(*hujson.Object)
	if !ok {
		return nil, s.complain(value.StartOffset, "the file holds no object", "write {}")
	}
	s.root, s.start, s.end = root, value.StartOffset, value.EndOffset
	if m := s.member("packages"); m != nil {
		if _, ok := m.Value.Value.(*hujson.Array); !ok {
			return nil, s.complain(m.Value.StartOffset, "\"packages\" is no list", "write a list of packages, such as []")
		}
	}
	return s, nil
}

// complain is an error at a place of the file.
func (s *piSettings) complain(offset int, what, fix string) error {
	before := s.data[:min(offset, len(s.data))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("%s:%d:%d: %s: %s; nothing was changed", s.file, line, column, what, fix)
}

// member is the last member of that name, which is the one that pi sees.
func (s *piSettings) member(name string) *hujson.ObjectMember {
	if s.root == nil {
		return nil
	}
	for i := len(s.root.Members) - 1; i >= 0; i-- {
		if key, ok := s.root.Members[i].Name.Value.(hujson.Literal); ok && key.String() == name {
			return &s.root.Members[i]
		}
	}
	return nil
}

// packages are the sources of all packages, in order.
func (s *piSettings) packages() []string {
	m := s.member("packages")
	if m == nil {
		return nil
	}
	var sources []string
	for _, e := range m.Value.Value.(*hujson.Array).Elements {
		sources = append(sources, sourceOf(e))
	}
	return sources
}

// sourceOf is the source of a package entry: a text, or an object that has it.
func sourceOf(e hujson.Value) string {
	switch v := e.Value.(type) {
	case hujson.Literal:
		return v.String()
	case *hujson.Object:
		if source := e.Find("/source"); source != nil {
			if text, ok := source.Value.(hujson.Literal); ok {
				return text.String()
			}
		}
	}
	return ""
}

// with is the text with one more package at the end of the list.
func (s *piSettings) with(source string) []byte {
	entry, _ := json.Marshal(source) // a text always encodes
	m := s.member("packages")
	switch {
	case s.root == nil || len(s.root.Members) == 0:
		return s.splice(s.start, max(s.end, len(bytes.TrimRight(s.data, " \t\r\n"))), "{\n  \"packages\": [\n    "+string(entry)+"\n  ]\n}")
	case m == nil:
		last := &s.root.Members[len(s.root.Members)-1]
		space := s.spaceBefore(last.Name.StartOffset)
		list := "[" + string(entry) + "]"
		if strings.Contains(space, "\n") {
			list = "[" + space + "  " + string(entry) + space + "]"
		}
		return s.splice(last.Value.EndOffset, last.Value.EndOffset, ","+space+"\"packages\": "+list)
	}
	list := m.Value.Value.(*hujson.Array)
	if len(list.Elements) == 0 {
		space := s.spaceBefore(m.Name.StartOffset)
		if !strings.Contains(space, "\n") {
			return s.splice(m.Value.StartOffset, m.Value.EndOffset, "["+string(entry)+"]")
		}
		return s.splice(m.Value.StartOffset, m.Value.EndOffset, "["+space+"  "+string(entry)+space+"]")
	}
	last := list.Elements[len(list.Elements)-1]
	return s.splice(last.EndOffset, last.EndOffset, ","+s.spaceBefore(last.StartOffset)+string(entry))
}

// without is the text without a package. dropEmpty takes the list away too
// when nothing is left in it.
func (s *piSettings) without(source string, dropEmpty bool) (text []byte, found bool) {
	m := s.member("packages")
	if m == nil {
		return s.data, false
	}
	list := m.Value.Value.(*hujson.Array)
	for i, e := range list.Elements {
		if sourceOf(e) != source {
			continue
		}
		switch {
		case len(list.Elements) == 1 && dropEmpty:
			return s.withoutMember(m), true
		case len(list.Elements) == 1:
			return s.splice(m.Value.StartOffset, m.Value.EndOffset, "[]"), true
		case i == 0:
			return s.splice(e.StartOffset, list.Elements[1].StartOffset, ""), true
		}
		return s.splice(list.Elements[i-1].EndOffset, e.EndOffset, ""), true
	}
	return s.data, false
}

func (s *piSettings) withoutMember(m *hujson.ObjectMember) []byte {
	members := s.root.Members
	for i := range members {
		if &members[i] != m {
			continue
		}
		switch {
		case len(members) == 1:
			return s.splice(m.Name.StartOffset, m.Value.EndOffset, "")
		case i == 0:
			return s.splice(m.Name.StartOffset, members[1].Name.StartOffset, "")
		}
		return s.splice(members[i-1].Value.EndOffset, m.Value.EndOffset, "")
	}
	return s.data
}

// spaceBefore is the white space in front of an offset.
func (s *piSettings) spaceBefore(offset int) string {
	start := len(bytes.TrimRight(s.data[:offset], " \t\r\n"))
	return string(s.data[start:offset])
}

func (s *piSettings) splice(from, to int, text string) []byte {
	return append(append(append([]byte(nil), s.data[:from]...), text...), s.data[to:]...)
}
