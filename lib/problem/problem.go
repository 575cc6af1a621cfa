// Package problem holds what is wrong with an input: one finding, its place, and what to do about it.
//
// It is the lowest package of the project: everything that reads text reports through it, so that
// a person sees one form of message everywhere: "file:line:col: what is wrong (what to do)".
package problem

import (
	"fmt"
	"sort"
	"strings"
)

// Severity says whether a finding stops the work.
type Severity int

const (
	// Error stops the work: nothing is written.
	Error Severity = iota
	// Warning is told on stderr; the work goes on.
	Warning
)

// Position is a place in an input. Line and Column count from 1; 0 means not known.
type Position struct {
	File   string
	Line   int
	Column int
}

// String gives "file:line:col", and less of it where less is known.
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
}

// Problem is one finding. Fix says what the reader can do; it may be empty where What says it.
type Problem struct {
	Position
	Severity Severity
	What     string
	Fix      string
}

// Error gives the one line that a person reads.
func (p Problem) Error() string {
	msg := p.What
	if p.Severity == Warning {
		msg = "warning: " + msg
	}
	if p.Fix != "" {
		msg += " (" + p.Fix + ")"
	}
	if place := p.Position.String(); place != "" {
		return place + ": " + msg
	}
	return msg
}

// List is several findings; as an error it prints one a line.
type List []Problem

// Error joins the findings, one a line.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, p := range l {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Split parts the findings that stop the work from those that do not. Each part keeps its order.
func (l List) Split() (errs, warnings List) {
	for _, p := range l {
		if p.Severity == Warning {
			warnings = append(warnings, p)
		} else {
			errs = append(errs, p)
		}
	}
	return errs, warnings
}

// Sort orders the findings by file, line and column; findings of one place keep their order.
func (l List) Sort() {
	sort.SliceStable(l, func(i, j int) bool {
		a, b := l[i].Position, l[j].Position
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
}

// Err gives the list as an error where it holds an error, else nil.
func (l List) Err() error {
	errs, _ := l.Split()
	if len(errs) == 0 {
		return nil
	}
	return errs
}
