package controlplane

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/internal/proc"
)

// component is one running program of the control plane.
type component struct {
	name string
	log  string
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended
}

// start runs the binary under the component's name, with what it says in a log file of that name.
func start(binary, dir, name string, args ...string) (*component, error) {
	c := &component{name: name, log: filepath.Join(dir, "logs", name+".log"), done: make(chan struct{})}
	if err := os.MkdirAll(filepath.Dir(c.log), 0o755); err != nil {
		return nil, err
	}
	out, err := os.OpenFile(c.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	c.cmd = exec.Command(binary, args...)
	c.cmd.Args[0] = name
	c.cmd.Dir, c.cmd.Stdout, c.cmd.Stderr = dir, out, out
	if err := proc.Start(c.cmd); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		_ = c.cmd.Wait()
		close(c.done)
	}()
	return c, nil
}

// stop kills the process: all that it could save is thrown away with the folder.
func (c *component) stop() {
	select {
	case <-c.done:
	default:
		proc.Kill(c.cmd)
		<-c.done
	}
}

// lostPort tells that the process could not have the port which was free a moment ago.
func (c *component) lostPort() bool {
	text, err := os.ReadFile(c.log)
	return err == nil && bytes.Contains(text, []byte("address already in use"))
}

// tail gives the end of the log, for an error message.
func (c *component) tail() string {
	text, _ := os.ReadFile(c.log)
	const enough = 3000
	if len(text) > enough {
		text = text[len(text)-enough:]
	}
	return string(text)
}

// freePorts finds n loopback ports that nobody uses now. All are held until the last is found, so they differ.
func freePorts(n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		ports[i] = listener.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}
