package harness

import (
	"os"
	"path/filepath"
	"syscall"
)

// tempDir is a temporary folder that says by a lock that its owner is alive. A process that is killed leaves its
// folder behind, and the next one that starts removes it.
type tempDir struct {
	path string
	lock *os.File
}

const tempPattern = "kapp-lifecycle-e2e-"

func newTempDir() (*tempDir, error) {
	sweep()
	path, err := os.MkdirTemp("", tempPattern)
	if err != nil {
		return nil, err
	}
	lock, err := lockDir(path)
	if err != nil {
		return nil, err
	}
	return &tempDir{path: path, lock: lock}, nil
}

// remove removes the folder, and then lets go of the lock.
func (d *tempDir) remove() error {
	defer d.lock.Close()
	return os.RemoveAll(d.path)
}

// sweep removes the folders whose owners are gone. An empty one was just made and is about to be locked.
func sweep() {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), tempPattern+"*"))
	for _, path := range left {
		if files, err := os.ReadDir(path); err != nil || len(files) == 0 {
			continue
		}
		if lock, err := lockDir(path); err == nil {
			_ = os.RemoveAll(path) // somebody else may be removing it too
			lock.Close()
		}
	}
}

func lockDir(path string) (*os.File, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		dir.Close()
		return nil, err
	}
	return dir, nil
}
