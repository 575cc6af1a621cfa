// Package build makes the programs that the end-to-end tests run: the control plane, kapp, and the
// product itself.
//
// Kubernetes and kapp live in Go modules of their own (e2e/tools/kube, e2e/tools/kapp), because each
// pins its own versions of the Kubernetes libraries and because the tests must not wait for them to
// compile. Their binaries are kept in e2e/.cache, which git ignores, under a name that is a hash of
// all that goes into them; so a second run builds nothing. The product changes all the time and is
// always built anew, which Go's own build cache makes cheap.
package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Program is one thing to build: a package of a module.
type Program struct {
	Name    string // of the binary, and of its folder in the cache
	Module  string // the module's folder, relative to the e2e folder
	Package string // what `go build` is told to build in it
	LDFlags string
}

// The programs of the suite. kapp must know its version: one without calls itself "develop" and refuses
// every Config that has a minimumRequiredVersion. So must the API server: controllers parse it.
var (
	Kube = Program{
		Name: "kube", Module: "tools/kube", Package: ".",
		LDFlags: "-s -w -X k8s.io/component-base/version.gitVersion=v1.35.4" +
			" -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=35",
	}
	Kapp = Program{
		Name: "kapp", Module: "tools/kapp", Package: "carvel.dev/kapp/cmd/kapp",
		LDFlags: "-s -w -X carvel.dev/kapp/pkg/kapp/version.Version=0.66.0",
	}
	Product = Program{Name: "kapp-lifecycle", Module: "..", Package: "./cmd/kapp-lifecycle"}
)

// modulePath is how Root recognises the e2e folder.
const modulePath = "github.com/kapp-lifecycle/kapp-lifecycle/e2e"

// Builder builds programs of the e2e module that stands in Root.
type Builder struct {
	Root string    // the e2e folder
	Log  io.Writer // gets a line now and then while something is compiled
}

// New finds the e2e folder from the working directory, which for a test is its package's folder.
func New(log io.Writer) (*Builder, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for {
		for _, candidate := range []string{dir, filepath.Join(dir, "e2e")} {
			text, err := os.ReadFile(filepath.Join(candidate, "go.mod"))
			if err == nil && strings.HasPrefix(string(text), "module "+modulePath+"\n") {
				return &Builder{Root: candidate, Log: log}, nil
			}
		}
		if dir == filepath.Dir(dir) {
			return nil, errors.New("the e2e module is not here (run this inside the repository)")
		}
		dir = filepath.Dir(dir)
	}
}

// CacheDir is the folder for what is worth keeping between runs.
func (b *Builder) CacheDir() string { return filepath.Join(b.Root, ".cache") }

// Cached gives the path of the program's binary and builds it first if the cache has none. Several
// processes may call it at once: one builds, the others wait for it.
func (b *Builder) Cached(ctx context.Context, p Program) (string, error) {
	key, err := b.key(p)
	if err != nil {
		return "", err
	}
	path := filepath.Join(b.CacheDir(), p.Name+"-"+key, p.Name)
	if isFile(path) {
		return path, nil
	}
	if err := os.MkdirAll(b.CacheDir(), 0o755); err != nil {
		return "", err
	}
	unlock, err := lockFile(filepath.Join(b.CacheDir(), p.Name+".lock"), func() {
		fmt.Fprintf(b.Log, "e2e: %s: another process builds it, waiting\n", p.Name)
	})
	if err != nil {
		return "", err
	}
	defer unlock()
	if isFile(path) {
		return path, nil
	}
	// What a killed build has left; under the lock nobody else builds here.
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), tempPattern))
	for _, dir := range left {
		if err := os.RemoveAll(dir); err != nil {
			return "", err
		}
	}
	return path, b.Build(ctx, p, path)
}

// tempPattern names the folders in which binaries come into being.
const tempPattern = ".build-*"

// Build compiles the program to path. The file appears there only when it is whole, so a reader or a
// second builder never meets half a binary.
func (b *Builder) Build(ctx context.Context, p Program, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(path), tempPattern)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	out := filepath.Join(temp, p.Name)
	if err := b.compile(ctx, p, out); err != nil {
		return fmt.Errorf("building %s: %w", p.Name, err)
	}
	return os.Rename(out, path)
}

// key hashes what decides how the binary comes out, apart from the dependencies' source, which go.sum fixes.
func (b *Builder) key(p Program) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version(), runtime.GOOS, runtime.GOARCH, p.Package, p.LDFlags)
	module := filepath.Join(b.Root, p.Module)
	files, err := filepath.Glob(filepath.Join(module, "*.go"))
	if err != nil {
		return "", err
	}
	for _, file := range append(files, filepath.Join(module, "go.mod"), filepath.Join(module, "go.sum")) {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(sum, filepath.Base(file), len(text))
		sum.Write(text)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist) && err == nil && info.Mode().IsRegular()
}
