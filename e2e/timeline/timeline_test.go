package timeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// recordingTB takes the place of a test that is to fail.
type recordingTB struct {
	testing.TB
	failure string
}

func (r *recordingTB) Helper() {}

func (r *recordingTB) Errorf(format string, args ...any) { r.failure += fmt.Sprintf(format, args...) }

func (r *recordingTB) Fatal(args ...any) { r.failure += fmt.Sprint(args...); panic(r) }

// failure runs an assertion and gives what it complained of.
func failure(assert func(t testing.TB)) string {
	r := &recordingTB{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(r) {
				panic(p)
			}
		}()
		assert(r)
	}()
	return r.failure
}

var zero = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// at makes an entry from milliseconds and "Kind/name verb detail".
func at(ms int, text string) Entry {
	words := strings.SplitN(text+"  ", " ", 3)
	e := Entry{Time: zero.Add(time.Duration(ms) * time.Millisecond), Namespace: "ns", Object: words[0], Verb: Verb(words[1]), Detail: strings.TrimSpace(words[2])}
	if e.Verb == Started || e.Verb == Ended {
		e.Run = &Run{Pod: "pod", Container: "main", Start: zero}
	}
	return e
}

var upgrade = Timeline{
	at(0, "ConfigMap/settings updated"),
	at(412, "Job/migrate created"),
	at(530, "Job/migrate started migrate-x2x9f main"),
	at(1830, "Job/migrate ended migrate-x2x9f main exit 0: done"),
	at(2001, "Job/migrate succeeded"),
	at(2090, "Deployment/api updated generation 2"),
	at(3010, "Deployment/api ready"),
}

func TestOrder(t *testing.T) {
	upgrade.Before(t, "Job/migrate ended", "Deployment/api updated")
	upgrade.Order(t, "ConfigMap/settings updated", "Job/migrate created", "Job/migrate started", "Deployment/api ready")
	upgrade.Before(t, "Job/* succeeded", "Deployment/* updated")
	upgrade.Happened(t, "Job/migrate succeeded", "Deployment/api ready")
	upgrade.Never(t, "Job/migrate failed", "Job/other started")
	upgrade.Times(t, 1, "Job/migrate started")
	upgrade.Times(t, 0, "Job/migrate deleted")
}

// TestFailureIsReadable holds what a person sees when an order is wrong.
func TestFailureIsReadable(t *testing.T) {
	got := failure(func(t testing.TB) { upgrade.Before(t, "Deployment/api updated", "Job/migrate ended") })
	want := `"Deployment/api updated" was to come before "Job/migrate ended", but came 260ms after it
      0.000s  ConfigMap/settings  updated
      0.412s  Job/migrate         created
      0.530s  Job/migrate         started    migrate-x2x9f main
>     1.830s  Job/migrate         ended      migrate-x2x9f main exit 0: done
      2.001s  Job/migrate         succeeded
>     2.090s  Deployment/api      updated    generation 2
      3.010s  Deployment/api      ready
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for want, assert := range map[string]func(t testing.TB){
		`"Job/migrate deleted" did not happen`:                  func(t testing.TB) { upgrade.Before(t, "Job/migrate deleted", "Job/migrate ended") },
		`"Job/other ended" did not happen`:                      func(t testing.TB) { upgrade.Happened(t, "Job/migrate ended", "Job/other ended") },
		`"Job/migrate ended" was not to happen`:                 func(t testing.TB) { upgrade.Never(t, "Job/other ended", "Job/migrate ended") },
		`"Job/migrate ended" happened 1 times, not 2`:           func(t testing.TB) { upgrade.Times(t, 2, "Job/migrate ended") },
		`there is no verb "finished"`:                           func(t testing.TB) { upgrade.Happened(t, "Job/migrate finished") },
		`"Job/migrate" names no entry (write "Kind/name verb")`: func(t testing.TB) { upgrade.Never(t, "Job/migrate") },
		"(nothing happened)":                                    func(t testing.TB) { Timeline(nil).Happened(t, "Job/migrate ended") },
	} {
		if got := failure(assert); !strings.Contains(got, want) {
			t.Errorf("the failure does not say %s:\n%s", want, got)
		}
	}
	two := append(Timeline{}, upgrade...)
	two[0].Namespace = "other"
	if table := two.String(); !strings.Contains(table, "other        ConfigMap/settings") {
		t.Errorf("two namespaces are not told apart:\n%s", table)
	}
}

// TestEveryOccurrenceCounts: the last of the first kind must come before the first of the second kind.
func TestEveryOccurrenceCounts(t *testing.T) {
	again := append(append(Timeline{}, upgrade...), at(4000, "Job/migrate ended again"))
	got := failure(func(t testing.TB) { again.Before(t, "Job/migrate ended", "Deployment/api updated") })
	if !strings.Contains(got, "but came 1.91s after it") {
		t.Errorf("the second end is overlooked: %q", got)
	}
}

func TestExactOrder(t *testing.T) {
	change := func(ms int, version uint64) Entry {
		return Entry{Time: zero.Add(time.Duration(ms) * time.Millisecond), version: version}
	}
	process := func(ms int, after uint64) Entry {
		return Entry{Time: zero.Add(time.Duration(ms) * time.Millisecond), after: after}
	}
	for _, test := range []struct {
		name string
		a, b Entry
		want bool
	}{
		{"changes by version, whatever their times", change(9, 1), change(5, 2), true},
		{"and the other way round", change(5, 2), change(9, 1), false},
		{"a change that the node had seen", change(9, 4), process(5, 4), true},
		{"and the other way round", process(5, 4), change(9, 4), false},
		{"a later change, by time", process(5, 4), change(9, 6), true},
		{"by time", change(9, 6), process(5, 4), false},
		{"processes by time", process(5, 9), process(6, 1), true},
		{"what has no version by time", change(5, 0), change(6, 3), true},
	} {
		if got := test.a.before(test.b); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

func TestQueries(t *testing.T) {
	api := upgrade.Of("Deployment/api")
	if len(api) != 2 || !api.Created().IsZero() || !api.Deleted().IsZero() || !api.Updated().Equal(zero.Add(2090*time.Millisecond)) || !api.Ready().Equal(zero.Add(3010*time.Millisecond)) {
		t.Errorf("of the Deployment: %v", api)
	}
	if since := upgrade.Since(zero.Add(2001 * time.Millisecond)); len(since) != 3 {
		t.Errorf("since: %v", since)
	}
	if both := upgrade.Verb(Started, Ended); len(both) != 2 {
		t.Errorf("starts and ends: %v", both)
	}
}

func TestRuns(t *testing.T) {
	run := func(e Entry, r Run) Entry { e.Run = &r; return e }
	tl := Timeline{
		run(at(0, "Job/x started"), Run{Pod: "a", Container: "guard", Init: true}),
		run(at(1, "Job/x ended"), Run{Pod: "a", Container: "guard", Init: true, ExitCode: 42}),
		run(at(2, "Job/x started"), Run{Pod: "b", Container: "main"}),
		run(at(3, "Job/x started"), Run{Pod: "c", Container: "main"}),
		run(at(4, "Job/x ended"), Run{Pod: "b", Container: "main", ExitCode: 1, Output: "no"}),
		run(at(5, "Job/x started"), Run{Pod: "b", Container: "main", Restart: 1}),
		run(at(6, "Job/y started"), Run{Pod: "d", Container: "main"}),
	}
	want := []Run{
		{Pod: "b", Container: "main", ExitCode: 1, Output: "no"},
		{Pod: "c", Container: "main"},
		{Pod: "b", Container: "main", Restart: 1},
	}
	if diff := cmp.Diff(want, tl.Runs("Job/x")); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Run{{Pod: "a", Container: "guard", Init: true, ExitCode: 42}}, tl.InitRuns("Job/x")); diff != "" {
		t.Errorf("init runs (-want +got):\n%s", diff)
	}
	// A view that begins in the midst of a run does not count it: it was started before.
	if runs := tl[4:5].Runs("Job/x"); len(runs) != 0 {
		t.Errorf("runs of an end alone: %v", runs)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("Job/migrate ended")
	f.Add("Job/[ ended")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parse(text)
		if err == nil && (!strings.Contains(p.object, "/") || p.verb == "") {
			t.Errorf("%q is taken for %+v", text, p)
		}
	})
}
