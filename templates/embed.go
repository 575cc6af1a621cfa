// Package templates holds the ytt program: the only place that knows what a hook's Job looks like.
//
// kapp-lifecycle.yml is its one template; the Starlark modules behind it are a private ytt library, in
// _ytt_lib/kapp-lifecycle/, since ytt runs every module of the root once more for itself.
// The binary runs it through lib/program; in a stock App CR it runs by itself.
package templates

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"sync"
)

//go:embed kapp-lifecycle.yml all:kapp-lifecycle all:_ytt_lib
var sources embed.FS

const (
	// Schema is the path of the ytt schema, which only a template step needs: the binary checks the
	// Lifecycle itself, with places in its file.
	Schema = "kapp-lifecycle/schema.yml"
	// Input is the path at which the program finds what the binary hands over.
	Input = "kapp-lifecycle/input.json"

	// program is the one module that stands for all others: the template loads it.
	program = "_ytt_lib/kapp-lifecycle/output.star"
)

// File is one file of the program, its path relative to the folder that ytt is given.
type File struct {
	Path    string
	Content []byte
}

// Files gives the program as ytt is to be given it, its modules made into one. The caller must not change it.
func Files() []File { return files() }

var files = sync.OnceValue(func() []File {
	all, err := read()
	if err != nil {
		// The files are compiled in, and a test bundles them: this is a fault of the build.
		panic(fmt.Sprintf("reading the embedded ytt program: %s", err))
	}
	return all
})

func read() ([]File, error) {
	var all []File
	modules := map[string][]byte{}
	err := fs.WalkDir(sources, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := sources.ReadFile(file)
		if err != nil {
			return err
		}
		if path.Ext(file) == ".star" {
			modules[path.Base(file)] = content
		} else {
			all = append(all, File{Path: file, Content: content})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	bundled, err := bundle(modules)
	if err != nil {
		return nil, err
	}
	return append(all, File{Path: program, Content: bundled}), nil
}
