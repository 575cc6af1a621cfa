package timeline

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Follow calls tell for each entry from now on, in the order in which they are recorded, until stop is called. tell must
// be quick and must not call the recorder.
func (r *Recorder) Follow(tell func(Entry)) (stop func()) {
	f := &follower{tell}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followers[f] = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.followers, f)
	}
}

// Timeline gives what happened since that moment in the namespaces, and to cluster-scoped objects of the kapp
// apps that are kept in them.
func (r *Recorder) Timeline(since time.Time, namespaces ...string) Timeline {
	in := map[string]bool{}
	for _, n := range namespaces {
		in[n] = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return sorted(r.entries).filter(func(e Entry) bool { return !e.Time.Before(since) && r.belongs(e, in) })
}

// belongs tells that the entry is of one of the namespaces; the lock is held.
func (r *Recorder) belongs(e Entry, in map[string]bool) bool {
	if e.Namespace != "" {
		return in[e.Namespace]
	}
	name, isNamespace := strings.CutPrefix(e.Object, "Namespace/")
	return isNamespace && in[name] || e.app != "" && in[r.apps[e.app]]
}

// Await waits until an entry such as "Job/migrate started" is there that happened in the namespace since the given
// moment, and returns it. It fails when the context ends.
func (r *Recorder) Await(ctx context.Context, since time.Time, namespace, entry string) (Entry, error) {
	p, err := parse(entry)
	if err != nil {
		return Entry{}, err
	}
	news, stop := r.news(func(e Entry) bool { return p.matches(e) })
	defer stop()
	for {
		tl := r.Timeline(since, namespace)
		if found := tl.filter(p.matches); len(found) > 0 {
			return found[0], nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return Entry{}, fmt.Errorf("timeline: %q did not happen in time: %w\n%s", entry, ctx.Err(), tl)
		}
	}
}

// Settled waits until nothing has happened in the namespaces for the given time, so that watch events which
// are still on their way are in. It gives up after ten times that.
func (r *Recorder) Settled(ctx context.Context, quiet time.Duration, namespaces ...string) {
	in := map[string]bool{}
	for _, n := range namespaces {
		in[n] = true
	}
	news, stop := r.news(func(e Entry) bool { return in[e.Namespace] })
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 10*quiet)
	defer cancel()
	for {
		select {
		case <-news:
		case <-time.After(quiet):
			return
		case <-ctx.Done():
			return
		}
	}
}

// news gives a channel that holds a token when there has been an entry of interest since the last look.
func (r *Recorder) news(interest func(Entry) bool) (<-chan struct{}, func()) {
	news := make(chan struct{}, 1)
	return news, r.Follow(func(e Entry) {
		if !interest(e) {
			return
		}
		select {
		case news <- struct{}{}:
		default:
		}
	})
}
