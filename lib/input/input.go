// Package input reads what -f names: files, folders and standard input. Nothing else of the project opens a file to read.
package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"syscall"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
)

// Stdin is the path that means standard input.
const Stdin = "-"

// MaxSize is how many bytes all inputs together may hold unless a Reader says otherwise: far more than an app that an
// API server could take, and little enough to be held in memory several times over.
const MaxSize = 32 << 20

// Stream is one file or standard input, whole.
type Stream struct {
	// Name is the path as given, or "stdin"; messages show it.
	Name string
	Text []byte
}

// Reader reads inputs. The zero value reads files up to MaxSize, and no standard input.
type Reader struct {
	Stdin io.Reader
	// MaxSize in bytes; 0 means the constant MaxSize.
	MaxSize int64

	read int64
}

// Read gives the streams of the paths, in their order; a folder's files come sorted by path. As in kapp
// (v0.66.0, pkg/kapp/resources/file_resources.go) a folder is read with its subfolders, takes .yaml, .yml and .json,
// and does not follow links to other folders. Errors are a problem.Problem that names the path.
func (r *Reader) Read(paths []string) ([]Stream, error) {
	var streams []Stream
	stdinRead := false
	for _, path := range paths {
		if path == Stdin {
			if stdinRead {
				return nil, failure(path, "standard input is given twice", "give - once")
			}
			stdinRead = true
			stream, err := r.stdin()
			if err != nil {
				return nil, err
			}
			streams = append(streams, stream)
			continue
		}
		files, err := list(path)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			stream, err := r.file(file)
			if err != nil {
				return nil, err
			}
			streams = append(streams, stream)
		}
	}
	return streams, nil
}

func (r *Reader) stdin() (Stream, error) {
	if r.Stdin == nil {
		return Stream{}, failure(Stdin, "there is no standard input here", "give a file")
	}
	text, err := r.all("stdin", r.Stdin)
	return Stream{Name: "stdin", Text: text}, err
}

func (r *Reader) file(path string) (Stream, error) {
	file, err := os.Open(path)
	if err != nil {
		return Stream{}, fileFailure(path, err)
	}
	defer file.Close()
	text, err := r.all(path, file)
	return Stream{Name: path, Text: text}, err
}

// all reads a stream to its end, or to where the inputs become too large.
func (r *Reader) all(name string, from io.Reader) ([]byte, error) {
	limit := r.MaxSize
	if limit == 0 {
		limit = MaxSize
	}
	text, err := io.ReadAll(io.LimitReader(from, limit-r.read+1))
	if err != nil {
		return nil, fileFailure(name, err)
	}
	r.read += int64(len(text))
	if r.read > limit {
		return nil, failure(name, fmt.Sprintf("the input is larger than %d MiB", limit>>20), "raise the limit with --max-input, in MiB")
	}
	return text, nil
}

// list gives the files that a path means.
func list(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileFailure(path, err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fileFailure(file, err)
		}
		if entry.IsDir() || !isManifest(file) {
			return nil
		}
		// A link is told from what it leads to only now; a link to a folder is left out like in kapp.
		info, err := os.Stat(file)
		if err != nil {
			return fileFailure(file, err)
		}
		if !info.IsDir() {
			files = append(files, file)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, failure(path, "the folder holds no .yaml, .yml or .json file", "give the folder of the manifests")
	}
	sort.Strings(files)
	return files, nil
}

func isManifest(path string) bool {
	switch filepath.Ext(path) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

func failure(path, what, fix string) problem.Problem {
	return problem.Problem{Position: problem.Position{File: path}, What: what, Fix: fix}
}

// fileFailure words what the operating system says for a person.
func fileFailure(path string, err error) error {
	var known problem.Problem
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, fs.ErrNotExist):
		return failure(path, "there is no such file or folder", "check the path that you gave to -f or --lifecycle")
	case errors.Is(err, fs.ErrPermission):
		return failure(path, "the file cannot be read: permission denied", "see to it that you may read it")
	case errors.Is(err, syscall.ELOOP):
		return failure(path, "the links lead in a circle", "remove the link")
	default:
		return failure(path, "the file cannot be read: "+err.Error(), "")
	}
}
