package profiles

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// document is one JSONC file being decoded into a struct by its json tags. It
// reports everything that does not fit with its place, and decodes the rest.
type document struct {
	file  string
	data  []byte
	diags []Diagnostic
	// lines are the offsets at which lines begin, once they are asked for;
	// fields are the fields of the structs that were met.
	lines  []int
	fields map[reflect.Type]map[string]int
}

// node is one value of a document, with the keys that lead to it.
type node struct {
	doc   *document
	value *hujson.Value
	key   string
}

// configValue is a type that reads itself from a node.
type configValue interface{ decodeConfig(n node) }

// described is a type whose texts are one of a few.
type described interface{ choices() []string }

// decodeDocument decodes data into target, a pointer to a struct, and returns
// what does not fit. whole is false when the text is not JSON at all; what
// stands before the first mistake is decoded all the same.
func decodeDocument(file string, data []byte, target any) (diags []Diagnostic, whole bool) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	doc := &document{file: file, data: data}
	value, err := hujson.Parse(data)
	whole = err == nil
	if err != nil {
		line, column, problem := syntaxPlace(err)
		doc.diags = append(doc.diags, Diagnostic{
			Severity: Broken, File: file, Line: line, Column: column,
			Problem: "this is not valid JSON with comments: " + problem,
			Fix:     "Mend the syntax at this place",
		})
		doc.data = readablePart(data, line, column)
		if value, err = hujson.Parse(doc.data); err != nil {
			return doc.diags, false
		}
	}
	node{doc: doc, value: &value}.decode(reflect.ValueOf(target).Elem())
	return doc.diags, whole
}

// hujsonError is how hujson writes the place of a syntax error.
var hujsonError = regexp.MustCompile(`line (\d+), column (\d+): (.*)`)

func syntaxPlace(err error) (line, column int, problem string) {
	m := hujsonError.FindStringSubmatch(err.Error())
	if m == nil {
		return 1, 1, err.Error()
	}
	line, _ = strconv.Atoi(m[1])
	column, _ = strconv.Atoi(m[2])
	return line, column, m[3]
}

// report adds a finding about the node.
func (n node) report(severity Severity, problem, fix string) {
	line, column := n.doc.place(n.value.StartOffset)
	n.doc.diags = append(n.doc.diags, Diagnostic{
		Severity: severity, File: n.doc.file, Line: line, Column: column, Key: n.key, Problem: problem, Fix: fix,
	})
}

// place turns an offset into a line and a column, both from 1.
func (d *document) place(offset int) (line, column int) {
	if d.lines == nil {
		d.lines = append(d.lines, 0)
		for i, b := range d.data {
			if b == '\n' {
				d.lines = append(d.lines, i+1)
			}
		}
	}
	line, found := slices.BinarySearch(d.lines, offset)
	if found {
		line++
	}
	return line, offset - d.lines[line-1] + 1
}

// line is the line of the node, from 1.
func (n node) line() int {
	line, _ := n.doc.place(n.value.StartOffset)
	return line
}

// members calls visit for every member of an object in file order; name is the
// node of the name itself. It reports whether the value is an object; the zero
// node is none.
func (n node) members(visit func(name string, at, value node)) bool {
	if n.value == nil {
		return false
	}
	object, ok := n.value.Value.(*hujson.Object)
	if !ok {
		return false
	}
	for i := range object.Members {
		m := &object.Members[i]
		name := m.Name.Value.(hujson.Literal).String()
		key := name
		if n.key != "" {
			key = n.key + "." + name
		}
		visit(name, node{n.doc, &m.Name, key}, node{n.doc, &m.Value, key})
	}
	return true
}

// text is the node's string; the zero node has none.
func (n node) text() (string, bool) {
	if n.value == nil {
		return "", false
	}
	literal, ok := n.value.Value.(hujson.Literal)
	if !ok || literal.Kind() != '"' {
		return "", false
	}
	return literal.String(), true
}

// kind names the node's kind for a person.
func (n node) kind() string {
	switch n.value.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case '0':
		return "a number"
	case 't', 'f':
		return "true or false"
	}
	return "null"
}

// mismatch reports that the node has the wrong kind.
func (n node) mismatch(want string) {
	n.report(Broken, fmt.Sprintf("this is %s", n.kind()), "Write "+want)
}

// decode decodes the node into target by its Go type.
func (n node) decode(target reflect.Value) {
	if target.CanAddr() {
		if v, ok := target.Addr().Interface().(configValue); ok {
			v.decodeConfig(n)
			return
		}
	}
	switch target.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(target.Type().Elem())
		before := len(n.doc.diags)
		n.decode(fresh.Elem())
		if len(n.doc.diags) == before || !fresh.Elem().IsZero() {
			target.Set(fresh)
		}
	case reflect.Struct:
		n.decodeStruct(target)
	case reflect.Map:
		n.decodeMap(target)
	case reflect.Slice:
		n.decodeSlice(target)
	case reflect.String:
		n.decodeString(target)
	case reflect.Bool:
		literal, ok := n.value.Value.(hujson.Literal)
		if !ok || literal.Kind() != 't' && literal.Kind() != 'f' {
			n.mismatch("true or false")
			return
		}
		target.SetBool(literal.Bool())
	case reflect.Int:
		n.decodeInt(target)
	case reflect.Interface:
		n.decodeAny(target)
	}
}

// decodeAny takes any JSON value as encoding/json would.
func (n node) decodeAny(target reflect.Value) {
	value := n.value.Clone()
	value.Standardize()
	var decoded any
	if err := json.Unmarshal(value.Pack(), &decoded); err == nil && decoded != nil {
		target.Set(reflect.ValueOf(decoded))
	}
}

func (n node) decodeInt(target reflect.Value) {
	literal, ok := n.value.Value.(hujson.Literal)
	if !ok || literal.Kind() != '0' {
		n.mismatch("a whole number")
		return
	}
	number, err := strconv.Atoi(string(literal))
	if err != nil {
		n.mismatch("a whole number")
		return
	}
	target.SetInt(int64(number))
}

func (n node) decodeString(target reflect.Value) {
	text, ok := n.text()
	if !ok {
		n.mismatch("a text between double quotes")
		return
	}
	if d, ok := target.Interface().(described); ok && !slices.Contains(d.choices(), text) {
		n.unknownChoice(text, d.choices())
		return
	}
	target.SetString(text)
}

func (n node) unknownChoice(text string, choices []string) {
	fix := "Write one of: " + strings.Join(choices, ", ")
	if near := nearest(text, choices); near != "" {
		fix = fmt.Sprintf("Did you mean %q? %s", near, fix)
	}
	n.report(Broken, fmt.Sprintf("%q is not known here", text), fix)
}

func (n node) decodeSlice(target reflect.Value) {
	array, ok := n.value.Value.(*hujson.Array)
	if !ok {
		n.mismatch("a list between [ and ]")
		return
	}
	list := reflect.MakeSlice(target.Type(), 0, len(array.Elements))
	for i := range array.Elements {
		element := reflect.New(target.Type().Elem()).Elem()
		before := len(n.doc.diags)
		node{n.doc, &array.Elements[i], fmt.Sprintf("%s[%d]", n.key, i)}.decode(element)
		if len(n.doc.diags) == before {
			list = reflect.Append(list, element)
		}
	}
	target.Set(list)
}

func (n node) decodeMap(target reflect.Value) {
	decoded := reflect.MakeMap(target.Type())
	ok := n.members(func(name string, at, value node) {
		if isComment(name) {
			return
		}
		key := reflect.New(target.Type().Key()).Elem()
		if d, ok := key.Interface().(described); ok && !slices.Contains(d.choices(), name) {
			at.unknownChoice(name, d.choices())
			return
		}
		key.SetString(name)
		element := reflect.New(target.Type().Elem()).Elem()
		before := len(n.doc.diags)
		value.decode(element)
		if len(n.doc.diags) == before || !element.IsZero() {
			decoded.SetMapIndex(key, element)
		}
	})
	if !ok {
		n.mismatch("an object between { and }")
		return
	}
	target.Set(decoded)
}

func (n node) decodeStruct(target reflect.Value) {
	fields := n.doc.structFields(target.Type())
	ok := n.members(func(name string, at, value node) {
		index, known := fields[name]
		switch {
		case known:
			target.Field(index).SetZero()
			value.decode(target.Field(index))
		case isComment(name):
		default:
			fix := "Remove it"
			if near := nearest(name, slices.Sorted(maps.Keys(fields))); near != "" {
				fix = fmt.Sprintf("Did you mean %q?", near)
			}
			at.report(Broken, fmt.Sprintf("the key %q is not known", name), fix)
		}
	})
	if !ok {
		n.mismatch("an object between { and }")
	}
}

// structFields maps the json names of a struct to its field numbers.
func (d *document) structFields(t reflect.Type) map[string]int {
	if fields, ok := d.fields[t]; ok {
		return fields
	}
	fields := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			fields[name] = i
		}
	}
	if d.fields == nil {
		d.fields = map[reflect.Type]map[string]int{}
	}
	d.fields[t] = fields
	return fields
}

// isComment reports whether a key is one that people use for comments.
func isComment(key string) bool {
	return key == "$comment" || key == "$schema" || strings.HasPrefix(key, "//")
}
