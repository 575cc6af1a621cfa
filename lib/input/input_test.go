package input

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, map[string]string{
		"config/b.yml": "b", "config/a.yaml": "a", "config/sub/c.json": "c", "config/README.md": "no", "one.yaml": "one", "any.txt": "given by name",
	})
	if err := os.Symlink("..", filepath.Join("config", "up.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../one.yaml", filepath.Join("config", "link.yaml")); err != nil {
		t.Fatal(err)
	}
	reader := Reader{Stdin: strings.NewReader("piped")}
	got, err := reader.Read([]string{"one.yaml", "-", "config", "any.txt"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Stream{
		{"one.yaml", []byte("one")},
		{"stdin", []byte("piped")},
		{filepath.Join("config", "a.yaml"), []byte("a")},
		{filepath.Join("config", "b.yml"), []byte("b")},
		{filepath.Join("config", "link.yaml"), []byte("one")},
		{filepath.Join("config", "sub", "c.json"), []byte("c")},
		{"any.txt", []byte("given by name")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, map[string]string{"large.yaml": strings.Repeat("x", 1<<20+1), "empty/README.md": ""})
	for link, target := range map[string]string{"loop/a.yaml": "b.yaml", "loop/b.yaml": "a.yaml"} {
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct {
		paths []string
		want  string
	}{
		"missing":     {[]string{"nowhere.yaml"}, "nowhere.yaml: there is no such file or folder (check the path that you gave to -f or --lifecycle)"},
		"stdin twice": {[]string{"-", "-"}, "-: standard input is given twice (give - once)"},
		"too large":   {[]string{"large.yaml"}, "large.yaml: the input is larger than 1 MiB (raise the limit with --max-input, in MiB)"},
		"no manifest": {[]string{"empty"}, "empty: the folder holds no .yaml, .yml or .json file (give the folder of the manifests)"},
		"loop":        {[]string{"loop"}, filepath.Join("loop", "a.yaml") + ": the links lead in a circle (remove the link)"},
	} {
		t.Run(name, func(t *testing.T) {
			reader := Reader{Stdin: strings.NewReader(""), MaxSize: 1 << 20}
			streams, err := reader.Read(tc.paths)
			if err == nil || err.Error() != tc.want || streams != nil {
				t.Errorf("got %v, %v, want the error %q", streams, err, tc.want)
			}
		})
	}
}

// TestFileFailure words what root, as which tests may run, does not meet.
func TestFileFailure(t *testing.T) {
	err := fileFailure("secret.yaml", &fs.PathError{Op: "open", Path: "secret.yaml", Err: syscall.EACCES})
	if want := "secret.yaml: the file cannot be read: permission denied (see to it that you may read it)"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	err = fileFailure("disk.yaml", syscall.EIO)
	if want := "disk.yaml: the file cannot be read: input/output error"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read every file")
	}
	path := filepath.Join(t.TempDir(), "secret.yaml")
	if err := os.WriteFile(path, nil, 0); err != nil {
		t.Fatal(err)
	}
	_, err := (&Reader{}).Read([]string{path})
	if err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("got %v", err)
	}
}
