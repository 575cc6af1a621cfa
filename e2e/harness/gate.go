package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Gate holds up a hook until the test opens it. The hook waits for a lock on a file, so it costs no time while
// it is closed and none when it opens.
type Gate struct{ file *os.File }

// NewGate makes a closed gate. It opens when the test ends, at the latest.
func NewGate(t testing.TB) *Gate {
	t.Helper()
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("needs flock(1) of util-linux")
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "gate"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return &Gate{file}
}

// Pass is a shell command that returns when the gate is open.
func (g *Gate) Pass() string { return fmt.Sprintf("flock --shared %s true", g.file.Name()) }

// Open lets all pass, now and later.
func (g *Gate) Open() { g.file.Close() }
