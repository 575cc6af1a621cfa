package harness

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Harness is the cluster that the tests of one binary share.
type Harness struct {
	*Cluster
}

// shared is the one harness of this test binary; sync.OnceValues keeps tests that start together from starting two.
var shared struct {
	mu      sync.Mutex
	main    bool // Main is in charge, so there will be a clean-up
	harness *Harness
	err     error
}

// Main runs the tests of a binary and stops what Start has started. When a test failed, the logs of the control
// plane are kept. It does not return.
func Main(m *testing.M) {
	shared.main = true
	flag.Parse()
	manyAtOnce()
	code := m.Run()
	if h := shared.harness; h != nil {
		if code != 0 {
			if path, err := h.KeepLogs(); err == nil {
				fmt.Fprintln(os.Stderr, "e2e: the control plane's logs are in", path)
			}
		}
		if err := h.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// manyAtOnce lets more tests run in parallel than there are processors, unless the user has said how many: they
// wait more than they compute.
func manyAtOnce() {
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		_ = flag.Set("test.parallel", "8") // a number is always taken
	}
}

// Start gives the shared cluster, which the first caller starts. With -short the test is skipped.
func Start(t testing.TB) *Harness {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if !shared.main {
		t.Fatal("nobody would stop the control plane (write func TestMain(m *testing.M) { harness.Main(m) })")
	}
	if shared.harness == nil && shared.err == nil {
		var cluster *Cluster
		// Not the test's context: the cluster outlives the test.
		cluster, shared.err = Open(context.Background(), os.Stderr)
		if shared.err == nil {
			shared.harness = &Harness{cluster}
		}
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	if err := shared.harness.Plane.Health(); err != nil {
		t.Fatal(err)
	}
	return shared.harness
}

// Kapp runs kapp to its end.
func (h *Harness) Kapp(t testing.TB, stdin string, args ...string) Result {
	t.Helper()
	p, err := h.StartKapp(stdin, args...)
	return ended(t, p, err)
}

// Render runs `kapp-lifecycle render` with the files of a txtar text, which it reads in the order in which they stand
// there.
func (h *Harness) Render(t testing.TB, files string, args ...string) Result {
	t.Helper()
	dir := t.TempDir()
	names, err := extract(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	command := []string{"render"}
	for _, name := range names {
		command = append(command, "-f", name)
	}
	return h.Lifecycle(t, dir, "", append(command, args...)...)
}

// Lifecycle runs kapp-lifecycle in a folder.
func (h *Harness) Lifecycle(t testing.TB, dir, stdin string, args ...string) Result {
	t.Helper()
	p, err := h.StartLifecycle(dir, stdin, args...)
	return ended(t, p, err)
}

func ended(t testing.TB, p *Process, err error) Result {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return p.Wait()
}
