package build

import (
	"os"
	"syscall"
)

// lockFile takes an exclusive lock on path, which the system drops when this process ends, however it
// ends. waiting is called once if somebody else holds it.
func lockFile(path string, waiting func()) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		waiting()
		if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
			file.Close()
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
	}
	return func() { file.Close() }, nil
}
