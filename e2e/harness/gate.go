package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Gate holds up a hook until the test opens it: the hook looks for a file.
type Gate struct {
	t    testing.TB
	path string
}

// NewGate makes a closed gate. It opens when the test ends, at the latest.
func NewGate(t testing.TB) *Gate {
	t.Helper()
	g := &Gate{t, filepath.Join(t.TempDir(), "open")}
	t.Cleanup(g.Open)
	return g
}

// Pass is a shell command that returns when the gate is open.
func (g *Gate) Pass() string { return fmt.Sprintf("until [ -e %s ]; do sleep 0.05; done", g.path) }

// Check is a shell command that fails while the gate is closed.
func (g *Gate) Check() string { return fmt.Sprintf("[ -e %s ]", g.path) }

// Open lets all pass, now and later.
func (g *Gate) Open() {
	if err := os.WriteFile(g.path, nil, 0o644); err != nil {
		g.t.Error(err)
	}
}
