package node

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"time"
)

// maxLog is how much of one container's output is kept.
const maxLog = 8 << 20

// containerLog is the output of one run of a container, line by line with its time. It is written by one
// process and read by many.
type containerLog struct {
	mu     sync.Mutex
	lines  []logLine
	rest   []byte // a line without its end yet
	size   int
	closed bool
	grown  chan struct{} // closed and replaced when there is more to read
}

type logLine struct {
	at   time.Time
	text string // with its newline, unless it is the last and has none
}

func newLog() *containerLog { return &containerLog{grown: make(chan struct{})} }

func (l *containerLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > maxLog {
		return len(p), nil
	}
	if l.size += len(p); l.size > maxLog {
		l.rest = append(l.rest, "\n(the test node keeps no more of this log)\n"...)
	} else {
		l.rest = append(l.rest, p...)
	}
	for {
		end := bytes.IndexByte(l.rest, '\n')
		if end < 0 {
			break
		}
		l.add(string(l.rest[:end+1]))
		l.rest = l.rest[end+1:]
	}
	return len(p), nil
}

// add appends a line; the lock is held.
func (l *containerLog) add(text string) {
	l.lines = append(l.lines, logLine{time.Now(), text})
	l.wake()
}

func (l *containerLog) wake() {
	close(l.grown)
	l.grown = make(chan struct{})
}

// Close ends the log: who follows it gets its end.
func (l *containerLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		if len(l.rest) > 0 {
			l.add(string(l.rest))
		}
		l.closed = true
		l.wake()
	}
	return nil
}

// from gives the lines from number n on, whether there can be more, and a channel that closes then.
func (l *containerLog) from(n int) ([]logLine, bool, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines[n:len(l.lines):len(l.lines)], !l.closed, l.grown
}

// text is all that was written until now.
func (l *containerLog) text() string {
	lines, _, _ := l.from(0)
	var all strings.Builder
	for _, line := range lines {
		all.WriteString(line.text)
	}
	return all.String()
}

// logOptions are those of the pods/log request.
type logOptions struct {
	follow     bool
	timestamps bool
	since      time.Time
	tail       int   // lines, or negative
	limit      int64 // bytes, or 0
}

// copyTo writes the log to w and, with follow, goes on until the log or the context ends.
func (l *containerLog) copyTo(ctx context.Context, w io.Writer, o logOptions, flush func()) error {
	left := o.limit
	next := 0
	if lines, _, _ := l.from(0); o.tail >= 0 && len(lines) > o.tail {
		next = len(lines) - o.tail
	}
	for {
		lines, more, grown := l.from(next)
		next += len(lines)
		for _, line := range lines {
			if line.at.Before(o.since) {
				continue
			}
			text := line.text
			if o.timestamps {
				text = line.at.UTC().Format(time.RFC3339Nano) + " " + text
			}
			if o.limit > 0 {
				text = text[:min(int64(len(text)), left)]
				left -= int64(len(text))
			}
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
			if o.limit > 0 && left == 0 {
				return nil
			}
		}
		flush()
		if !o.follow || !more {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return nil
		}
	}
}
