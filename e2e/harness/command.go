package harness

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/internal/proc"
)

// Result is how a program ended.
type Result struct {
	Command string // as one would type it
	Stdout  string
	Stderr  string
	Code    int // -1 if a signal ended it
	Start   time.Time
	End     time.Time
}

// OK fails the test at once unless the program succeeded.
func (r Result) OK(t testing.TB) Result {
	t.Helper()
	if r.Code != 0 {
		t.Fatalf("%s", r)
	}
	return r
}

// Fails fails the test at once if the program succeeded, or if it did not say each of the words.
func (r Result) Fails(t testing.TB, words ...string) Result {
	t.Helper()
	if r.Code == 0 {
		t.Fatalf("it was to fail:\n%s", r)
	}
	return r.Says(t, words...)
}

// Says fails the test unless the program's output has each of the words.
func (r Result) Says(t testing.TB, words ...string) Result {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(r.Stdout+r.Stderr, word) {
			t.Errorf("it does not say %q:\n%s", word, r)
		}
	}
	return r
}

// String shows the command, its exit code and all that it said.
func (r Result) String() string {
	return fmt.Sprintf("$ %s\n(exit code %d after %s)\n%s%s", r.Command, r.Code, r.End.Sub(r.Start).Round(time.Millisecond), r.Stdout, r.Stderr)
}

// Process is a program that runs.
type Process struct {
	cmd    *exec.Cmd
	stdout buffer
	stderr buffer
	start  time.Time
}

// start starts a program; a process that cannot be started is an error of the test's surroundings.
func start(name, path, stdin, dir string, env []string, args ...string) (*Process, error) {
	p := &Process{cmd: exec.Command(path, args...), start: time.Now()}
	p.cmd.Args[0] = name
	p.cmd.Env, p.cmd.Dir = env, dir
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = strings.NewReader(stdin), &p.stdout, &p.stderr
	return p, proc.Start(p.cmd)
}

// Kill ends the program with SIGKILL, as a power cut would.
func (p *Process) Kill() { proc.Kill(p.cmd) }

// Output is what the program has said until now.
func (p *Process) Output() string { return p.stdout.String() + p.stderr.String() }

// Wait waits until the program ends.
func (p *Process) Wait() Result {
	_ = p.cmd.Wait() // the exit code says it
	return Result{
		Command: strings.Join(p.cmd.Args, " "), Stdout: p.stdout.String(), Stderr: p.stderr.String(),
		Code: p.cmd.ProcessState.ExitCode(), Start: p.start, End: time.Now(),
	}
}

// buffer is a bytes.Buffer that can be read while it is written.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
