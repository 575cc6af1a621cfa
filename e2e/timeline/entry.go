package timeline

import (
	"fmt"
	"path"
	"strings"
	"time"
)

// Verb is what happened to an object; the package comment lists them.
type Verb string

// The verbs.
const (
	Created   Verb = "created"
	Updated   Verb = "updated"
	Touched   Verb = "touched"
	Ready     Verb = "ready"
	Succeeded Verb = "succeeded"
	Failed    Verb = "failed"
	Deleting  Verb = "deleting"
	Deleted   Verb = "deleted"
	Started   Verb = "started"
	Ended     Verb = "ended"
)

// Entry is one thing that happened.
type Entry struct {
	Time      time.Time
	Namespace string // empty for a cluster-scoped object
	Object    string // Kind/name
	Verb      Verb
	Detail    string
	Run       *Run // of started and ended

	version uint64 // the API server's resource version, of what happened to an object; 0 if there is none
	after   uint64 // of a start or end: what has this version or a smaller one came before it
	app     string // the kapp app that a cluster-scoped object belongs to
}

// Run is one run of a container: a process, unless the node was told to fake it.
type Run struct {
	Pod       string
	Container string
	Init      bool // of an init container
	Fake      bool
	Restart   int // 0 for the first run in its pod
	Start     time.Time
	End       time.Time // zero while it runs
	ExitCode  int
	Reason    string // Completed, Error, StartError
	Output    string // all that it logged, once it has ended
}

// String is the entry as one line, without its time.
func (e Entry) String() string {
	return strings.TrimRight(fmt.Sprintf("%s %s %s", e.Object, e.Verb, e.Detail), " ")
}

// before tells that e came before o: by the API server's own order where that is known, else by time.
func (e Entry) before(o Entry) bool {
	switch {
	case e.version != 0 && o.version != 0 && e.version != o.version:
		return e.version < o.version
	case e.version != 0 && e.version <= o.after:
		return true
	case o.version != 0 && o.version <= e.after:
		return false
	}
	return e.Time.Before(o.Time)
}

// pattern is an entry's name as a test writes it.
type pattern struct {
	text   string
	object string
	verb   Verb
}

// parse reads "Kind/name verb".
func parse(text string) (pattern, error) {
	object, verb, ok := strings.Cut(strings.TrimSpace(text), " ")
	kind, name, two := strings.Cut(object, "/")
	if !ok || !two || kind == "" || name == "" {
		return pattern{}, fmt.Errorf(`timeline: %q names no entry (write "Kind/name verb")`, text)
	}
	p := pattern{text: text, object: object, verb: Verb(strings.TrimSpace(verb))}
	switch p.verb {
	case Created, Updated, Touched, Ready, Succeeded, Failed, Deleting, Deleted, Started, Ended:
	default:
		return p, fmt.Errorf("timeline: %q: there is no verb %q (see the package comment)", text, p.verb)
	}
	_, err := path.Match(object, "")
	return p, err
}

func (p pattern) matches(e Entry) bool { return e.Verb == p.verb && matchObject(p.object, e.Object) }

func matchObject(pattern, object string) bool {
	ok, err := path.Match(pattern, object)
	return ok && err == nil
}
