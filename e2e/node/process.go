package node

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/internal/proc"
)

// startErrorCode is what a container runtime reports for a command that cannot be started.
const startErrorCode = 128

// process is a command to run and where.
type process struct {
	argv []string
	env  map[string]string
	dir  string
	log  io.Writer
}

// running is a started process.
type running struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it, and all that it left behind, is gone and its output is in the log
}

func (p process) start() (*running, error) {
	path, err := lookPath(p.argv[0], p.env["PATH"])
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	// One pipe for both keeps the lines in the order in which they were written.
	cmd := &exec.Cmd{Path: path, Args: p.argv, Dir: p.dir, Stdout: write, Stderr: write}
	for k, v := range p.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	err = proc.Start(cmd)
	write.Close()
	if err != nil {
		read.Close()
		return nil, err
	}
	r := &running{cmd: cmd, done: make(chan struct{})}
	copied := make(chan struct{})
	go func() {
		_, _ = io.Copy(p.log, read)
		close(copied)
	}()
	go func() {
		defer close(r.done)
		_ = cmd.Wait()
		proc.Kill(cmd) // a container's other processes end with its first
		select {
		case <-copied:
		case <-time.After(time.Second): // one that left the group keeps the pipe open
		}
		read.Close()
	}()
	return r, nil
}

// exit gives the exit code and the signal that ended the process, as a container runtime reports them.
func (r *running) exit() (code, signal int32) {
	status, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return 128 + int32(status.Signal()), int32(status.Signal())
	}
	return int32(r.cmd.ProcessState.ExitCode()), 0
}

// lookPath finds a program with the container's PATH, not ours.
func lookPath(name, path string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// startError words the failure to start as a container runtime does.
func startError(err error) string {
	var path *os.PathError
	if errors.As(err, &path) && path.Op == "fork/exec" {
		err = &exec.Error{Name: path.Path, Err: path.Err}
	}
	return fmt.Sprintf("failed to start container: %v", err)
}
