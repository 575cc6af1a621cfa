package simulation

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/order"
)

// found is what a search has seen.
type found struct {
	states, outcomes int
	// violation is the shortest sequence that breaks an invariant, and says which; empty if none does.
	violation string
}

// node is a world and how it came about.
type node struct {
	world  *world
	text   string
	parent *node
}

// explore follows all sequences of at most depth events.
func explore(a *app, depth int) found {
	t := texts{}
	start := &world{app: a, cluster: order.NewCluster(), facts: facts{hooks: make([]hookFacts, len(a.hooks))}}
	seen := map[[sha256.Size]byte]bool{sha256.Sum256([]byte(start.key(t))): true}
	var f found
	for level := []*node{{world: start}}; len(level) > 0 && depth > 0; depth-- {
		var next []*node
		for _, n := range level {
			for _, o := range n.world.outcomes(t) {
				f.outcomes++
				child := &node{o.world, o.event.text(a, o.steps), n}
				if o.world.violation != "" {
					f.violation = child.sequence()
					f.states = len(seen)
					return f
				}
				key := sha256.Sum256([]byte(o.world.key(t)))
				if !seen[key] {
					seen[key] = true
					next = append(next, child)
				}
			}
			// The way here is still needed, what was here is not.
			n.world = nil
		}
		level = next
	}
	f.states = len(seen)
	return f
}

func (n *node) sequence() string {
	var lines []string
	for at := n; at.parent != nil; at = at.parent {
		lines = append([]string{at.text}, lines...)
	}
	for i := range lines {
		lines[i] = fmt.Sprintf("%d. %s", i+1, lines[i])
	}
	return n.world.violation + "\n" + strings.Join(lines, "\n")
}

func names(hooks []hook) string {
	all := make([]string, len(hooks))
	for i, h := range hooks {
		all[i] = h.String()
	}
	return strings.Join(all, " + ")
}

var apps = [][]hook{
	{{name: "h", run: "on-change"}},
	{{name: "h", run: "once"}},
	{{name: "h", run: "always"}},
	{{name: "h", run: "every"}},
	{{name: "h", run: "on-change", narrow: true}},
	{{name: "h", run: "on-change", goesOn: true}},
	{{name: "h", run: "on-change", guard: "install"}},
	{{name: "h", run: "on-change", guard: "upgrade"}},
	{{name: "h", run: "on-change", guard: "install", entrypoint: true}},
	{{name: "h", run: "on-change", guard: "upgrade", entrypoint: true}},
	{{name: "h", run: "once", guard: "install"}},
	{{name: "h", run: "once", guard: "upgrade"}},
	{{name: "h", run: "once", guard: "upgrade", entrypoint: true}},
	{{name: "h", run: "always", guard: "install"}},
	{{name: "h", run: "always", guard: "upgrade"}},
	{{name: "h", run: "every", guard: "upgrade"}},
	{{name: "one", run: "always"}, {name: "two", run: "on-change", weight: 1}},
	{{name: "one", run: "always"}, {name: "two", run: "once", weight: 1}},
	{{name: "one", run: "on-change"}, {name: "two", run: "always", weight: 1}},
	{{name: "one", run: "once"}, {name: "two", run: "on-change"}},
	{{name: "pre", run: "on-change"}, {name: "post", run: "on-change", post: true}},
	{{name: "pre", run: "once"}, {name: "post", run: "always", post: true}},
}

func TestSimulation(t *testing.T) {
	depth := 6
	if testing.Short() {
		depth = 4
	}
	for _, hooks := range apps {
		t.Run(names(hooks), func(t *testing.T) {
			t.Parallel()
			f := explore(newApp(t, nil, hooks...), depth)
			if f.violation != "" {
				t.Error(f.violation)
			}
			t.Logf("%d states, %d outcomes of events, to depth %d", f.states, f.outcomes, depth)
		})
	}
}
