package cli

import (
	"bytes"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"kapp-lifecycle": func() {
			os.Exit(Main(os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
		},
	})
}

// TestScripts runs the command line as a person does; UPDATE_SCRIPTS=1 writes the golden parts anew.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// large FILE MIB makes a manifest of that size.
			"large": func(ts *testscript.TestScript, neg bool, args []string) {
				var text bytes.Buffer
				text.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: large\ndata:\n  text: |\n")
				line := append(bytes.Repeat([]byte("x"), 1020), '\n')
				for text.Len() < 50<<20 {
					text.WriteString("    ")
					text.Write(line)
				}
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), text.Bytes(), 0o644))
			},
			// unreadable FILE takes the right to read it away, and skips the script where that does nothing (root).
			"unreadable": func(ts *testscript.TestScript, neg bool, args []string) {
				ts.Check(os.Chmod(ts.MkAbs(args[0]), 0))
			},
		},
		Condition: func(cond string) (bool, error) { return cond == "root" && os.Getuid() == 0, nil },
	})
}
