package build

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// newModule writes a module with one small program and gives a builder for it.
func newModule(t *testing.T, text string) (*Builder, Program, *syncBuffer) {
	t.Helper()
	log := &syncBuffer{}
	b := &Builder{Root: t.TempDir(), Log: log}
	p := Program{Name: "hello", Module: "tools/hello", Package: ".", LDFlags: "-X main.word=linked"}
	write(t, filepath.Join(b.Root, p.Module, "go.mod"), "module hello\n\ngo 1.26\n")
	write(t, filepath.Join(b.Root, p.Module, "go.sum"), "")
	write(t, filepath.Join(b.Root, p.Module, "main.go"), text)
	return b, p, log
}

const hello = "package main\n\nvar word string\n\nfunc main() { println(word) }\n"

func TestCachedBuildsOnce(t *testing.T) {
	b, p, log := newModule(t, hello)
	// Several at once, as two copies of the suite would: the lock is between open files, not processes.
	var all sync.WaitGroup
	paths := make([]string, 4)
	for i := range paths {
		all.Go(func() {
			path, err := b.Cached(t.Context(), p)
			if err != nil {
				t.Error(err)
			}
			paths[i] = path
		})
	}
	all.Wait()
	for _, path := range paths {
		if path != paths[0] {
			t.Errorf("two paths for one program: %s and %s", path, paths[0])
		}
	}
	if n := strings.Count(log.String(), "built in"); n != 1 {
		t.Errorf("built %d times:\n%s", n, log)
	}
	out, err := exec.Command(paths[0]).CombinedOutput()
	if err != nil || string(out) != "linked\n" {
		t.Errorf("the program says %q (%v)", out, err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(paths[0]), ".build-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}

	write(t, filepath.Join(b.Root, p.Module, "main.go"), strings.Replace(hello, "println(word)", "println(word, 2)", 1))
	changed, err := b.Cached(t.Context(), p)
	if err != nil || changed == paths[0] {
		t.Errorf("a changed program is not built anew: %s (%v)", changed, err)
	}
}

func TestBuildReportsTheCompiler(t *testing.T) {
	b, p, _ := newModule(t, "package main\n\nfunc main() { undefinedThing() }\n")
	path, err := b.Cached(t.Context(), p)
	if err == nil || !strings.Contains(err.Error(), "building hello") || !strings.Contains(err.Error(), "undefined: undefinedThing") {
		t.Errorf("error %v, want the compiler's words", err)
	}
	if isFile(path) {
		t.Error("there is a binary all the same")
	}
}

func TestNewFindsTheModule(t *testing.T) {
	b, err := New(&bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if !isFile(filepath.Join(b.Root, Kube.Module, "main.go")) {
		t.Errorf("%s is not the e2e folder", b.Root)
	}
	t.Chdir(t.TempDir())
	if b, err := New(&bytes.Buffer{}); err == nil {
		t.Errorf("found %s outside of any module", b.Root)
	}
}

func TestProgress(t *testing.T) {
	var log bytes.Buffer
	p := &progress{name: "kube", log: &log, todo: 2, start: time.Now()}
	for _, line := range []string{"go: downloading k8s.io/api v0.35.4", "k8s.io/api/core/v1", "# k8s.io/broken"} {
		p.line(line)
	}
	p.report()
	p.line("k8s.io/api/batch/v1")
	p.report()
	want := "e2e: kube: 1 of 2 packages, 0s\ne2e: kube: all packages compiled, linking, 0s\n"
	if log.String() != want {
		t.Errorf("it says\n%swant\n%s", &log, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
