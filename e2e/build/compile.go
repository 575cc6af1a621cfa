package build

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// reportEvery is how often a long build says how far it is.
const reportEvery = 10 * time.Second

// perPackage is what a package costs on two cores, on average: 2,400 of Kubernetes took about six minutes.
const perPackage = 150 * time.Millisecond

// compile runs `go build` in the program's module. It first asks Go how many packages are not in its
// cache, so that the count which `go build -v` then gives means something.
func (b *Builder) compile(ctx context.Context, p Program, out string) error {
	fmt.Fprintf(b.Log, "e2e: %s: looking at its packages\n", p.Name)
	todo, err := b.stale(ctx, p)
	if err != nil {
		return err
	}
	if todo > 50 {
		about := (time.Duration(todo) * perPackage).Round(time.Minute)
		fmt.Fprintf(b.Log, "e2e: %s: %d packages to compile, this happens once (about %.0f minutes on two cores)\n", p.Name, todo, max(1, about.Minutes()))
	}
	done := &progress{name: p.Name, todo: todo, log: b.Log, start: time.Now()}
	stop := done.every(reportEvery)
	defer stop()
	args := []string{"build", "-v", "-buildvcs=false", "-o", out}
	if p.LDFlags != "" {
		args = append(args, "-ldflags", p.LDFlags)
	}
	if err := b.run(ctx, p, nil, done.line, append(args, p.Package)...); err != nil {
		return err
	}
	fmt.Fprintf(b.Log, "e2e: %s: built in %s\n", p.Name, time.Since(done.start).Round(100*time.Millisecond))
	return nil
}

// stale counts the packages that `go build` would compile. Modules that are not on this machine yet are
// downloaded by it, and told.
func (b *Builder) stale(ctx context.Context, p Program) (int, error) {
	var names bytes.Buffer
	tell := func(line string) { fmt.Fprintf(b.Log, "e2e: %s: %s\n", p.Name, line) }
	err := b.run(ctx, p, &names, tell, "list", "-buildvcs=false", "-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}", p.Package)
	return len(strings.Fields(names.String())), err
}

// run runs the go command in the program's module. Each line of its stderr goes to line; the lines that are
// not package names are kept for the error.
func (b *Builder) run(ctx context.Context, p Program, stdout io.Writer, line func(string), args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = filepath.Join(b.Root, p.Module)
	// A workspace of the user's would add modules with other versions.
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Stdout = stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var complaint strings.Builder
	for scan := bufio.NewScanner(stderr); scan.Scan(); {
		line(scan.Text())
		if strings.ContainsAny(scan.Text(), " :") {
			fmt.Fprintln(&complaint, scan.Text())
		}
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", args[0], err, complaint.String())
	}
	return nil
}

// progress counts the packages that `go build -v` names.
type progress struct {
	name  string
	log   io.Writer
	start time.Time
	todo  int

	mu   sync.Mutex
	done int
}

func (p *progress) line(text string) {
	if strings.ContainsAny(text, " :#") {
		return // a download or a complaint, not a package
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
}

func (p *progress) every(interval time.Duration) (stop func()) {
	ticker, quit := time.NewTicker(interval), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				p.report()
			case <-quit:
				ticker.Stop()
				return
			}
		}
	}()
	return func() { close(quit) }
}

func (p *progress) report() {
	p.mu.Lock()
	defer p.mu.Unlock()
	what := fmt.Sprintf("%d of %d packages", p.done, p.todo)
	if p.done >= p.todo {
		what = "all packages compiled, linking"
	}
	fmt.Fprintf(p.log, "e2e: %s: %s, %s\n", p.name, what, time.Since(p.start).Round(time.Second))
}
