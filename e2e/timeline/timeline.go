package timeline

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"
)

// Timeline is what happened until a moment: a list of entries that does not change any more.
type Timeline []Entry

// Of gives the entries of the objects that the pattern names: Of("Deployment/api").
func (tl Timeline) Of(object string) Timeline {
	return tl.filter(func(e Entry) bool { return matchObject(object, e.Object) })
}

// Verb gives the entries with one of the verbs.
func (tl Timeline) Verb(verbs ...Verb) Timeline {
	return tl.filter(func(e Entry) bool {
		for _, v := range verbs {
			if e.Verb == v {
				return true
			}
		}
		return false
	})
}

// Since gives the entries from that moment on.
func (tl Timeline) Since(moment time.Time) Timeline {
	return tl.filter(func(e Entry) bool { return !e.Time.Before(moment) })
}

func (tl Timeline) filter(keep func(Entry) bool) Timeline {
	var kept Timeline
	for _, e := range tl {
		if keep(e) {
			kept = append(kept, e)
		}
	}
	return kept
}

// Created is when the first of the objects was created; zero if none was. So it is with the others.
func (tl Timeline) Created() time.Time { return tl.first(Created) }

// Updated is when the first update came.
func (tl Timeline) Updated() time.Time { return tl.first(Updated) }

// Ready is when the first readiness came.
func (tl Timeline) Ready() time.Time { return tl.first(Ready) }

// Deleted is when the first object was gone.
func (tl Timeline) Deleted() time.Time { return tl.first(Deleted) }

func (tl Timeline) first(verb Verb) time.Time {
	if found := tl.Verb(verb); len(found) > 0 {
		return found[0].Time
	}
	return time.Time{}
}

// Runs gives the runs of the object's containers that were started: how often a hook ran. Init containers (a guard)
// are left out; InitRuns gives them.
func (tl Timeline) Runs(object string) []Run { return tl.runs(object, false) }

// InitRuns gives the runs of the object's init containers.
func (tl Timeline) InitRuns(object string) []Run { return tl.runs(object, true) }

func (tl Timeline) runs(object string, init bool) []Run {
	var runs []Run
	at := map[string]int{}
	for _, e := range tl.Of(object).Verb(Started, Ended) {
		if e.Run.Init != init {
			continue
		}
		key := fmt.Sprint(e.Namespace, e.Run.Pod, e.Run.Container, e.Run.Restart)
		if i, ok := at[key]; ok {
			runs[i] = *e.Run
		} else if e.Verb == Started {
			at[key] = len(runs)
			runs = append(runs, *e.Run)
		}
	}
	return runs
}

// Happened fails the test unless there is each of the entries, as in "Job/migrate succeeded".
func (tl Timeline) Happened(t testing.TB, entries ...string) {
	t.Helper()
	for _, text := range entries {
		if len(tl.find(t, text)) == 0 {
			t.Errorf("%q did not happen\n%s", text, tl)
		}
	}
}

// Never fails the test if there is one of the entries.
func (tl Timeline) Never(t testing.TB, entries ...string) {
	t.Helper()
	for _, text := range entries {
		if found := tl.find(t, text); len(found) > 0 {
			t.Errorf("%q was not to happen\n%s", text, tl.table(found))
		}
	}
}

// Times fails the test unless there are exactly n such entries.
func (tl Timeline) Times(t testing.TB, n int, entry string) {
	t.Helper()
	if found := tl.find(t, entry); len(found) != n {
		t.Errorf("%q happened %d times, not %d\n%s", entry, len(found), n, tl.table(found))
	}
}

// Before fails the test unless both entries are there, and the last of the first kind came before the first of
// the second kind: Before(t, "Job/migrate ended", "Deployment/api updated").
func (tl Timeline) Before(t testing.TB, first, second string) {
	t.Helper()
	tl.Order(t, first, second)
}

// Order fails the test unless the entries came in this order, each as in Before.
func (tl Timeline) Order(t testing.TB, entries ...string) {
	t.Helper()
	var last Timeline // of the entry before
	for i, text := range entries {
		found := tl.find(t, text)
		if len(found) == 0 {
			t.Errorf("%q did not happen\n%s", text, tl)
			return
		}
		if i > 0 {
			// Entries are by time, which need not be the exact order.
			for _, early := range last {
				for _, late := range found {
					if !early.before(late) {
						t.Errorf("%q was to come before %q, but came %s after it\n%s", entries[i-1], text,
							early.Time.Sub(late.Time).Round(time.Millisecond), tl.table(Timeline{early, late}))
						return
					}
				}
			}
		}
		last = found
	}
}

// find gives the entries that the text names. A text that names none is a mistake in the test.
func (tl Timeline) find(t testing.TB, text string) Timeline {
	t.Helper()
	p, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return tl.filter(p.matches)
}

// String is the timeline as a table.
func (tl Timeline) String() string { return tl.table(nil) }

// table prints the timeline and points at some of its entries.
func (tl Timeline) table(point Timeline) string {
	if len(tl) == 0 {
		return "  (nothing happened)"
	}
	wide := 0
	namespaces := map[string]bool{}
	for _, e := range tl {
		wide = max(wide, len(e.Object))
		if e.Namespace != "" {
			namespaces[e.Namespace] = true
		}
	}
	var out strings.Builder
	for _, e := range tl {
		mark := " "
		for _, p := range point {
			if e == p {
				mark = ">"
			}
		}
		where := ""
		if len(namespaces) > 1 {
			where = fmt.Sprintf("%-12s ", e.Namespace)
		}
		line := fmt.Sprintf("%s %9.3fs  %s%-*s  %-9s  %s", mark, e.Time.Sub(tl[0].Time).Seconds(), where, wide, e.Object, e.Verb, e.Detail)
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}

// sorted orders entries by time; those of one moment stay as they were recorded.
func sorted(entries []Entry) Timeline {
	tl := append(Timeline(nil), entries...)
	sort.SliceStable(tl, func(i, j int) bool { return tl[i].Time.Before(tl[j].Time) })
	return tl
}
