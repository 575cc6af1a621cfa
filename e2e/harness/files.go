package harness

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/tools/txtar"
)

// extract writes the files of a txtar text into dir and gives their names in order.
func extract(dir, text string) ([]string, error) {
	var names []string
	for _, file := range txtar.Parse([]byte(text)).Files {
		path := filepath.Join(dir, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, file.Data, 0o644); err != nil {
			return nil, err
		}
		names = append(names, file.Name)
	}
	if len(names) == 0 {
		return nil, errors.New(`the text holds no file (begin each with a line "-- name.yaml --")`)
	}
	return names, nil
}
