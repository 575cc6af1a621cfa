// Package proc starts child processes that do not outlive this one.
//
// A test that panics, runs into `go test -timeout` or is killed runs no cleanup. So the system is asked to
// kill each child when its parent dies (Linux only; elsewhere the caller's own cleanup is all there is).
package proc

import (
	"os/exec"
	"sync"
)

// Start starts the command in a process group of its own, which Kill ends as a whole. The caller must
// call cmd.Wait.
func Start(cmd *exec.Cmd) error {
	prepare(cmd)
	done := make(chan error)
	starter() <- func() { done <- cmd.Start() }
	return <-done
}

// starter gives the channel of the one thread that starts all children. Linux sends the "parent died"
// signal when the thread that started the child ends, and Go ends threads as it likes: only one that is
// locked to a goroutine which never returns is sure to live as long as the process.
var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		lockThread()
		for start := range work {
			start()
		}
	}()
	return work
})
