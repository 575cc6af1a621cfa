package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/input"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/render"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/yamlstream"
)

// renderFlags say what to render; several commands take them.
type renderFlags struct {
	files     []string
	lifecycle string
	app       string
	maxInput  int64
}

func (f *renderFlags) add(command *cobra.Command) {
	flags := command.Flags()
	flags.StringArrayVarP(&f.files, "file", "f", nil, "manifests: a file, a folder (with its subfolders: .yaml, .yml and .json, sorted) or - for standard input; repeat it for more")
	flags.StringVar(&f.lifecycle, "lifecycle", "", "the Lifecycle's file; without it, the documents of kind Lifecycle among the manifests are taken")
	flags.StringVar(&f.app, "app", "", "name of the app in change groups, and of a Lifecycle that has no name (default: the first Lifecycle's name)")
	flags.Int64Var(&f.maxInput, "max-input", input.MaxSize>>20, "how many MiB all inputs together may hold")
}

// render gives the whole output stream, and tells warnings on stderr.
func (f *renderFlags) render(streams Streams) ([]byte, error) {
	if len(f.files) == 0 {
		return nil, fmt.Errorf("nothing to read: give the app's manifests with -f (-f config/, or -f - for standard input)")
	}
	if f.maxInput < 1 || f.maxInput > 1<<20 {
		return nil, fmt.Errorf("--max-input %d is out of range: give 1 to 1048576 MiB", f.maxInput)
	}
	reader := input.Reader{Stdin: streams.In, MaxSize: f.maxInput << 20}
	options := render.Options{App: f.app}
	var own input.Stream
	if f.lifecycle != "" {
		read, err := reader.Read([]string{f.lifecycle})
		if err != nil {
			return nil, err
		}
		if len(read) != 1 {
			return nil, fmt.Errorf("--lifecycle %s is a folder: give the file", f.lifecycle)
		}
		own = read[0]
		options.Lifecycle = &own
	}
	inputs, err := reader.Read(f.files)
	if err != nil {
		return nil, err
	}
	if options.Lifecycle != nil {
		inputs = without(inputs, f.lifecycle)
	}
	result, err := render.Render(inputs, options)
	if err != nil {
		return nil, err
	}
	tell(streams.Err, result.Warnings)
	var out bytes.Buffer
	if err := yamlstream.Join(&out, result.Documents); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// without leaves out the file that --lifecycle names, which often lies in the folder of the manifests.
func without(streams []input.Stream, file string) []input.Stream {
	var rest []input.Stream
	for _, stream := range streams {
		if filepath.Clean(stream.Name) != filepath.Clean(file) || file == input.Stdin {
			rest = append(rest, stream)
		}
	}
	return rest
}

func tell(w io.Writer, warnings problem.List) {
	for _, warning := range warnings {
		fmt.Fprintln(w, warning.Error())
	}
}

func newRender(streams Streams) *cobra.Command {
	var flags renderFlags
	var output string
	command := &cobra.Command{
		Use:   "render",
		Short: "Write the app and its hooks as one YAML stream for kapp",
		Long: `Write the app and its hooks as one YAML stream for kapp.

Manifests that are no hook come out as they are, but for one annotation. What is wrong with the input is
told as file:line:col, with exit status 1 and no output.`,
		Example: `  kapp-lifecycle render -f config/ -f lifecycle.yaml | kapp deploy -a app -f- -y
  helm template my chart/ | kapp-lifecycle render -f - --lifecycle lifecycle.yaml -o out.yaml`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := flags.render(streams)
			if err != nil {
				return err
			}
			return write(streams.Out, output, text)
		},
	}
	flags.add(command)
	command.Flags().StringVarP(&output, "output", "o", "", "write to this file instead of standard output")
	return command
}

// write writes the output whole or not at all: a file is put in place once it is complete.
func write(out io.Writer, path string, text []byte) error {
	if path == "" || path == "-" {
		_, err := out.Write(text)
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(text)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(file.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
