package order

import (
	"fmt"
	"strings"
)

// Text shows the order for a person: numbered phases, hooks marked with a star, and at the end what does not change.
func (g *Graph) Text() string {
	var b strings.Builder
	for i, phase := range g.Phases() {
		fmt.Fprintf(&b, "%d.\n", i+1)
		for _, change := range phase {
			b.WriteString(line(change))
		}
	}
	if len(g.Kept) > 0 {
		b.WriteString("Unchanged, so nothing waits for it:\n")
		for _, change := range g.Kept {
			b.WriteString(line(change))
		}
	}
	return b.String()
}

func line(change *Change) string {
	mark, note := " ", ""
	if change.IsHook() {
		mark = "*"
		note = fmt.Sprintf("  %s (%s)", strings.Join(change.Events, ", "), change.Run)
	}
	return fmt.Sprintf("%s %-7s  %s%s\n", mark, change.Op, change, note)
}
