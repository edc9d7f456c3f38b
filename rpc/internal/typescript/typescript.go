// Package typescript writes the types of the protocol for the shim. Types and
// their comments are read from the source of package rpc, methods and commands
// from the package itself.
package typescript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"

	"github.com/pi-guard/pi-guard/rpc"
)

// Generate returns the TypeScript source. dir is the directory of package rpc.
func Generate(dir string) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("// Code generated from package rpc by go generate. DO NOT EDIT.\n\n")
	fmt.Fprintf(&out, "/** The version of the protocol. */\nexport const PROTOCOL = %d;\n\n", rpc.Version)
	fmt.Fprintf(&out, "/** The longest message, in bytes. */\nexport const MAX_MESSAGE = %d;\n\n", rpc.MaxMessage)
	fset := token.NewFileSet()
	for _, name := range []string{"messages.go", "commands.go"} {
		file, err := parser.ParseFile(fset, dir+"/"+name, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("read the message types: %w", err)
		}
		if err := interfaces(&out, file); err != nil {
			return nil, err
		}
	}
	methods(&out, "GuardMethods", "The requests that pi makes of the guard.", rpc.GuardMethods())
	methods(&out, "HostMethods", "The requests that the guard makes of pi.", rpc.HostMethods())
	if err := constant(&out, "COMMANDS", "SlashCommand", rpc.Commands()); err != nil {
		return nil, err
	}
	if err := constant(&out, "SHORTCUTS", "Shortcut", rpc.Shortcuts()); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// interfaces writes one interface for each struct of the file.
func interfaces(out *bytes.Buffer, file *ast.File) error {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			ts := spec.(*ast.TypeSpec)
			st, ok := ts.Type.(*ast.StructType)
			if !ok {
				return fmt.Errorf("type %s: only structs can be sent", ts.Name.Name)
			}
			comment(out, "", gen.Doc)
			if len(st.Fields.List) == 0 {
				fmt.Fprintf(out, "export type %s = Record<string, never>;\n\n", ts.Name.Name)
				continue
			}
			fmt.Fprintf(out, "export interface %s {\n", ts.Name.Name)
			for _, f := range st.Fields.List {
				if err := field(out, f); err != nil {
					return fmt.Errorf("type %s: %w", ts.Name.Name, err)
				}
			}
			out.WriteString("}\n\n")
		}
	}
	return nil
}

func field(out *bytes.Buffer, f *ast.Field) error {
	if f.Tag == nil || len(f.Names) != 1 {
		return fmt.Errorf("a field has no json tag of its own")
	}
	name, options, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
	typ, err := typeOf(f.Type)
	if err != nil {
		return fmt.Errorf("field %s: %w", name, err)
	}
	optional := ""
	if options == "omitempty" {
		optional = "?"
	}
	comment(out, "  ", f.Doc)
	fmt.Fprintf(out, "  %s%s: %s;\n", name, optional, typ)
	return nil
}

// typeOf is the TypeScript type that a Go type becomes in JSON.
func typeOf(e ast.Expr) (string, error) {
	switch t := e.(type) {
	case *ast.Ident:
		switch t.Name {
		case "string":
			return "string", nil
		case "bool":
			return "boolean", nil
		case "int", "int64", "float64":
			return "number", nil
		}
		return t.Name, nil
	case *ast.StarExpr:
		return typeOf(t.X)
	case *ast.ArrayType:
		inner, err := typeOf(t.Elt)
		return inner + "[]", err
	case *ast.MapType:
		inner, err := typeOf(t.Value)
		return "Record<string, " + inner + ">", err
	case *ast.SelectorExpr:
		if t.Sel.Name == "RawMessage" {
			return "unknown", nil
		}
	}
	return "", fmt.Errorf("a %T has no TypeScript type", e)
}

// comment writes a Go comment as a TypeScript one.
func comment(out *bytes.Buffer, indent string, doc *ast.CommentGroup) {
	if doc == nil {
		return
	}
	text := strings.TrimSpace(doc.Text())
	fmt.Fprintf(out, "%s/** %s */\n", indent, strings.ReplaceAll(text, "\n", "\n"+indent+" * "))
}

// methods writes the table from a method to what it takes and gives.
func methods(out *bytes.Buffer, name, doc string, list []rpc.Method) {
	fmt.Fprintf(out, "/** %s */\nexport interface %s {\n", doc, name)
	for _, m := range list {
		fmt.Fprintf(out, "  %q: { params: %s; result: %s };\n", m.Name, m.Params.Name(), m.Result.Name())
	}
	out.WriteString("}\n\n")
}

func constant(out *bytes.Buffer, name, typ string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "export const %s: readonly %s[] = %s;\n\n", name, typ, data)
	return nil
}
