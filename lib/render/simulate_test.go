package render_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	ctlres "carvel.dev/kapp/pkg/kapp/resources"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/order"
)

// The simulation goes through all sequences, to a depth, of what can happen to an app with a hook: deploys of the same and of
// changed content, its Job succeeding, failing or running on, and kapp killed at any write. kapp's own code plans and
// decides; only the cluster is simulated (lib/order). What is promised is checked at every write.

// world is one state: the cluster, the deploy that waits, and what has happened so far.
type world struct {
	cluster *order.Cluster
	waiting *deploying
	past    past
	steps   []string
	depth   int
}

type deploying struct {
	content string
	graph   *order.Graph
	applied map[*order.Change]bool
	ready   map[*order.Change]bool
}

// past is what the promises are about. It is a value: a copy of it is another past.
type past struct {
	Completed bool // a deploy has ended whole
	Hook      string
	// Content and State are those of the hook's last run: running, succeeded, failed, or none where it was removed half way.
	Content, State string
	// Good are the contents for which it has succeeded, sorted, and Acted how often in all.
	Good  string
	Acted int
}

type simulation struct {
	t       *testing.T
	planner order.Planner
	apps    map[string]*order.App
	run     string
	guard   string
}

// violation is a broken promise; a panic carries it out of the middle of a deploy.
type violation struct{ what string }

var (
	nonces   = regexp.MustCompile(`nonce-\d+`)
	volatile = regexp.MustCompile(`#\d+|"resourceVersion":"\d+"|"kapp.k14s.io/original-diff-md5":"[^"]*"`)
)

// key tells states apart; names of nonces, versions and births do not.
func (w *world) key() string {
	var b strings.Builder
	for _, res := range w.cluster.Resources() {
		text, err := json.Marshal(res.DeepCopyRaw())
		if err != nil {
			panic(err)
		}
		b.Write(text)
	}
	names := map[string]string{}
	text := nonces.ReplaceAllStringFunc(volatile.ReplaceAllString(b.String(), ""), func(nonce string) string {
		if names[nonce] == "" {
			names[nonce] = fmt.Sprint("nonce ", len(names))
		}
		return names[nonce]
	})
	if w.waiting != nil {
		text += w.waiting.content
		for _, change := range w.waiting.graph.Changes {
			text += fmt.Sprint(change, w.waiting.applied[change], w.waiting.ready[change])
		}
	}
	return fmt.Sprintf("%s %+v", text, w.past)
}

func (w *world) then(step string) *world {
	next := &world{cluster: w.cluster.Clone(), past: w.past, depth: w.depth + 1}
	next.steps = append(append([]string{}, w.steps...), step)
	if w.waiting != nil {
		next.waiting = &deploying{w.waiting.content, w.waiting.graph, copied(w.waiting.applied), copied(w.waiting.ready)}
	}
	return next
}

func copied(set map[*order.Change]bool) map[*order.Change]bool {
	result := make(map[*order.Change]bool, len(set))
	for change, is := range set {
		result[change] = is
	}
	return result
}

const hookJob = "Job/app-h"

// next gives all states that may follow.
func (s *simulation) next(w *world) []*world {
	var all []*world
	if w.past.State == "running" {
		outcomes := map[string]map[string]any{"the hook succeeds": order.JobComplete(), "the hook fails": order.JobFailed()}
		if !s.itsTurn(w) {
			delete(outcomes, "the hook fails") // it is skipped
		}
		for step, status := range outcomes {
			n := w.then(step)
			s.ends(n, status)
			all = append(all, n)
		}
	}
	if w.waiting != nil {
		n := w.then("kapp is killed while it waits")
		n.waiting = nil
		return append(all, n)
	}
	for content, app := range s.apps {
		// The plan is the same wherever kapp is killed, and the slow part.
		graph, err := s.planner.Deploy(app, w.cluster, fmt.Sprintf("nonce-%d", w.depth+1))
		if err != nil {
			panic(err)
		}
		n := w.then("deploy " + content)
		writes := s.deploy(n, content, graph, -1, "")
		all = append(all, n)
		for at := range writes {
			// Killed after a write is killed in the middle of the next.
			for _, how := range []string{"before the record of", "in the middle of"} {
				k := w.then(fmt.Sprintf("deploy %s, killed %s write %d", content, how, at+1))
				s.deploy(k, content, graph, at, how)
				k.waiting = nil
				all = append(all, k)
			}
		}
	}
	return all
}

func (s *simulation) ends(w *world, status map[string]any) {
	if err := w.cluster.SetStatus(hookJob, status); err != nil {
		panic(err)
	}
	w.past.State = "failed"
	if _, failed := status["failed"]; !failed {
		w.past.State = "succeeded"
		if !strings.Contains(w.past.Good, w.past.Content) {
			w.past.Good += w.past.Content
		}
		if s.itsTurn(w) {
			w.past.Acted++
		}
		if s.run == "once" && w.past.Acted > 1 {
			panic(violation{"a once hook succeeded twice"})
		}
	}
	if w.waiting != nil {
		s.goOn(w, -1, "")
	}
}

func (s *simulation) deploy(w *world, content string, graph *order.Graph, killAt int, how string) (writes int) {
	w.waiting = &deploying{content, graph, map[*order.Change]bool{}, map[*order.Change]bool{}}
	return s.goOn(w, killAt, how)
}

// goOn applies what may be applied until nothing is left or all waits; it counts its writes.
func (s *simulation) goOn(w *world, killAt int, how string) (writes int) {
	d := w.waiting
	for progress := true; progress; {
		progress = false
		for _, change := range d.graph.Changes {
			if d.ready[change] || !blockedBy(change.WaitingFor, d.ready) {
				continue
			}
			if !d.applied[change] {
				if s.apply(w, change, writes == killAt, how) {
					return writes
				}
				writes++
				d.applied[change], progress = true, true
			}
			state, err := d.graph.Wait(change, w.cluster)
			if err != nil || state.Done && !state.Successful {
				w.waiting = nil // kapp gives up
				return writes
			}
			if state.Done {
				d.ready[change], progress = true, true
			}
		}
	}
	if len(d.ready) == len(d.graph.Changes) {
		w.waiting = nil
		w.past.Completed = true
	}
	return writes
}

func blockedBy(changes []*order.Change, ready map[*order.Change]bool) bool {
	for _, change := range changes {
		if !ready[change] {
			return false
		}
	}
	return true
}

// apply writes one change, checks what is promised of it, and says whether kapp is killed there.
func (s *simulation) apply(w *world, change *order.Change, killed bool, how string) bool {
	content := w.waiting.content
	switch {
	case change.IsHook() && (change.Op == order.OpCreate || change.Op == order.OpReplace):
		s.starts(w, change, content)
		if killed && how == "in the middle of" {
			if change.Op == order.OpReplace {
				w.cluster.Remove(hookJob)
				w.past.State, w.past.Content = "none", ""
			}
			return true
		}
		w.past.Content, w.past.State = content, "running"
	case change.IsHook() && change.Op == order.OpDelete:
		panic(violation{"the hook's Job was deleted"})
	case change.Kind == "Deployment":
		good := strings.Contains(w.past.Good, content)
		if s.run == "once" || s.run == "every" {
			good = w.past.Good != ""
		}
		if !good {
			panic(violation{"the workload of " + content + " was applied before the pre hook had succeeded for it"})
		}
		fallthrough
	default:
		if killed && how == "in the middle of" {
			return true
		}
	}
	apply := w.waiting.graph.Apply
	if killed && how == "before the record of" {
		apply = w.waiting.graph.Write
	}
	if err := apply(change, w.cluster); err != nil {
		panic(err)
	}
	ref := change.String()
	if change.IsHook() {
		if change.Op != order.OpUpdate {
			if err := w.cluster.SetStatus(ref, order.JobRunning()); err != nil {
				panic(err)
			}
		}
	} else if live := w.cluster.Get(ref); live != nil {
		if status := order.Healthy(live); status != nil {
			if err := w.cluster.SetStatus(ref, status); err != nil {
				panic(err)
			}
		}
	}
	if change.Kind == "ConfigMap" && strings.Contains(change.Name, "-revision-ver-") && change.Op == order.OpCreate {
		w.past.Completed = true
	}
	return killed
}

// starts checks that the hook may run now.
func (s *simulation) starts(w *world, change *order.Change, content string) {
	same := w.past.Content == content
	switch {
	case w.past.State == "running" && same:
		panic(violation{"a running Job was deleted for the same content"})
	case w.past.State == "succeeded" && s.run == "once" && s.guard == "":
		panic(violation{"a once hook runs again after it succeeded"})
	case w.past.State == "succeeded" && same && s.run != "always" && s.guard == "":
		panic(violation{"the hook runs twice for one content, and had not failed"})
	}
	switch acts := s.acts(w, change.Resource()); {
	case s.guard == "install" && acts && w.past.Completed:
		panic(violation{"an install-only hook acts after a deploy has ended whole"})
	case s.guard == "upgrade" && acts && !w.past.Completed:
		panic(violation{"an upgrade-only hook acts before a deploy has ended whole"})
	}
}

// acts decides as the guard does (templates/_ytt_lib/kapp-lifecycle/job.star, TURN), when the pod starts.
func (s *simulation) acts(w *world, job ctlres.Resource) bool {
	if s.guard == "" {
		return true
	}
	text, err := json.Marshal(job.DeepCopyRaw())
	if err != nil {
		panic(err)
	}
	revision := regexp.MustCompile(`"LIFECYCLE_REVISION","value":"([^"]*)"`).FindStringSubmatch(string(text))
	now := "upgrade"
	if strings.HasSuffix(revision[1], "-ver-1") && w.cluster.Get("ConfigMap/"+revision[1]) == nil {
		now = "install"
	}
	return now == s.guard
}

func (s *simulation) itsTurn(w *world) bool { return s.acts(w, w.cluster.Get(hookJob)) }

// explore goes through all states to a depth, shortest sequences first. It gives the first violation, or "".
func (s *simulation) explore(depth int) (broken string, states int) {
	first := order.NewCluster()
	first.Now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	level := []*world{{cluster: first}}
	seen := map[string]bool{level[0].key(): true}
	for range depth {
		var deeper []*world
		for _, w := range level {
			found, what := s.tryNext(w)
			if what != "" {
				return what, len(seen)
			}
			for _, n := range found {
				if key := n.key(); !seen[key] {
					seen[key] = true
					deeper = append(deeper, n)
				}
			}
		}
		level = deeper
	}
	return "", len(seen)
}

// tryNext is next, with a violation as a text: the sequence that led there.
func (s *simulation) tryNext(w *world) (found []*world, what string) {
	defer func() {
		if reason := recover(); reason != nil {
			broken, ok := reason.(violation)
			if !ok {
				panic(reason)
			}
			what = broken.what + ", after:\n  " + strings.Join(w.steps, "\n  ") + "\n  and one more step"
		}
	}()
	return s.next(w), ""
}

func newSimulation(t *testing.T, run, guard string, mutate func(string) string) *simulation {
	t.Helper()
	event := map[string]string{"": "pre-deploy", "install": "pre-install", "upgrade": "pre-upgrade"}[guard]
	more := ""
	if run == "every" {
		// kapp reads the clock, and the simulated cluster is of the start of 2026: it is never due.
		more = ", interval: 999999h"
	}
	s := &simulation{t: t, run: run, guard: guard, apps: map[string]*order.App{}}
	for _, content := range []string{"A", "B"} {
		manifest := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api}\nspec: {template: {metadata: {labels: {content: " + content + "}}}}\n"
		stream := rendered(t, manifest, "{name: h, events: ["+event+"], run: "+run+more+", command: [x]}")
		app, err := order.Read([]byte(mutate(string(stream))))
		if err != nil {
			t.Fatal(err)
		}
		s.apps[content] = app
	}
	return s
}

func unchanged(text string) string { return text }

var simulated = []struct{ run, guard string }{
	{"on-change", ""}, {"once", ""}, {"always", ""}, {"every", ""},
	{"on-change", "install"}, {"always", "install"}, {"on-change", "upgrade"}, {"always", "upgrade"}, {"once", "upgrade"},
}

// TestAllSequences goes to depth 6, or 4 with -short.
func TestAllSequences(t *testing.T) {
	depth := 6
	if testing.Short() {
		depth = 4
	}
	for _, tc := range simulated {
		t.Run(strings.TrimSpace(tc.run+" "+tc.guard), func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			broken, states := newSimulation(t, tc.run, tc.guard, unchanged).explore(depth)
			if broken != "" {
				t.Fatal(broken)
			}
			t.Logf("%d states to depth %d in %s", states, depth, time.Since(began).Round(time.Millisecond))
		})
	}
}

// TestSimulationFindsFaults: each fault of the rebase rule breaks a promise.
func TestSimulationFindsFaults(t *testing.T) {
	for _, tc := range []struct{ name, run, guard, from, to, want string }{
		{"keeps what runs", "on-change", "", `not same else "touch"`, `not same else "keep"`, "before the pre hook had succeeded"},
		{"replaces what runs", "on-change", "", `not same else "touch"`, `not same else "replace"`, "running Job was deleted"},
		{"does not look at the digest", "on-change", "", `return "keep" if same else "replace"`, `return "keep"`, "before the pre hook had succeeded"},
		{"replaces what is done", "on-change", "", `return "keep" if same else "replace"`, `return "replace"`, "twice for one content"},
		{"once like always", "once", "", `elif run == "always" or`, `elif run == "once" or`, "once hook"},
		{"always waits for the old", "always", "", `run in ["on-change", "always"] and not same`, `run in ["on-change"] and not same`, "before the pre hook had succeeded"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSimulation(t, tc.run, tc.guard, func(text string) string {
				if !strings.Contains(text, tc.from) {
					t.Fatalf("the rule has no %s", tc.from)
				}
				return strings.ReplaceAll(text, tc.from, tc.to)
			})
			broken, _ := s.explore(5)
			if !strings.Contains(broken, tc.want) {
				t.Errorf("got %q, want %q", broken, tc.want)
			}
		})
	}
}
