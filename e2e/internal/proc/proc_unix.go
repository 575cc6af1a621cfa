//go:build unix

package proc

import (
	"os/exec"
	"runtime"
	"syscall"
)

func lockThread() { runtime.LockOSThread() }

// Signal sends the signal to the command's main process alone, as a container runtime does.
func Signal(cmd *exec.Cmd, signal syscall.Signal) {
	if cmd.Process != nil {
		_ = cmd.Process.Signal(signal) // it may be gone already, which is what was wanted
	}
}

// Kill kills the command's process group. Call it also after the main process has ended: what that left
// behind would go with its container. A started command must not have been forgotten for so long that its
// id could belong to somebody else.
func Kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
