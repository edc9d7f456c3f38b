package bashast

import "testing"

// BenchmarkTables measures what the tables cost for one command.
func BenchmarkTables(b *testing.B) {
	for _, line := range []string{
		"git status", "ls -la", "git log --oneline -n 20 -- src/", "grep -rn foo src", "npm run test",
		"sudo rm -rf /", "python3 -c 'print(1)'", "sed -i s/a/b/ x", "cd src", "echo hi",
	} {
		b.Run(line, func(b *testing.B) {
			c := testCommand(line)
			env := Env{Dir: "/p", Project: "/p", Home: "/h"}
			b.ReportAllocs()
			for b.Loop() {
				effects(c, env)
				lookThrough(c, env)
				output(c, env)
			}
		})
	}
}

// BenchmarkTableStart measures finding where the rows are.
func BenchmarkTableStart(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		loadTable()
	}
}
