package node

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func logOf(parts ...string) *containerLog {
	l := newLog()
	for _, part := range parts {
		_, _ = l.Write([]byte(part))
	}
	return l
}

func copied(t *testing.T, l *containerLog, o logOptions) string {
	t.Helper()
	var out strings.Builder
	if err := l.copyTo(t.Context(), &out, o, func() {}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestLogCopy(t *testing.T) {
	l := logOf("one\ntw", "o\nthree\n", "rest")
	for name, test := range map[string]struct {
		options logOptions
		want    string
	}{
		"all":              {logOptions{tail: -1}, "one\ntwo\nthree\nrest"},
		"tail":             {logOptions{tail: 2}, "three\nrest"},
		"no line":          {logOptions{tail: 0}, ""},
		"more than it has": {logOptions{tail: 9}, "one\ntwo\nthree\nrest"},
		"limit":            {logOptions{tail: -1, limit: 5}, "one\nt"},
		"the future":       {logOptions{tail: -1, since: time.Now().Add(time.Hour)}, ""},
	} {
		_ = l.Close()
		if got := copied(t, l, test.options); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	stamped := copied(t, l, logOptions{tail: 1, timestamps: true})
	stamp, text, _ := strings.Cut(stamped, " ")
	if _, err := time.Parse(time.RFC3339Nano, stamp); err != nil || text != "rest" {
		t.Errorf("with a timestamp: %q (%v)", stamped, err)
	}
}

func TestLogFollow(t *testing.T) {
	l := logOf("one\n")
	read := make(chan string)
	go func() {
		var out strings.Builder
		_ = l.copyTo(context.Background(), &out, logOptions{tail: -1, follow: true}, func() {})
		read <- out.String()
	}()
	_, _ = l.Write([]byte("two\nrest"))
	_ = l.Close()
	if got := <-read; got != "one\ntwo\nrest" {
		t.Errorf("followed: %q", got)
	}
}

func TestLogIsBounded(t *testing.T) {
	l := newLog()
	chunk := []byte(strings.Repeat("x", 1<<20-1) + "\n")
	for range 20 {
		_, _ = l.Write(chunk)
	}
	if n := len(l.text()); n > maxLog+len(chunk) || !strings.Contains(l.text(), "keeps no more") {
		t.Errorf("%d bytes are kept", n)
	}
}

func TestParseLogOptions(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for query, want := range map[string]logOptions{
		"":                                {tail: -1},
		"tailLines=3&follow=true":         {tail: 3, follow: true},
		"limitBytes=9&timestamps=true":    {tail: -1, limit: 9, timestamps: true},
		"sinceSeconds=5":                  {tail: -1, since: now.Add(-5 * time.Second)},
		"sinceTime=2030-01-01T00:00:00Z":  {tail: -1, since: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)},
		"previous=false&follow=false&x=y": {tail: -1},
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		got, previous, err := parseLogOptions(values, now)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(logOptions{})); err != nil || previous || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", query, err, diff)
		}
	}
	for _, query := range []string{"tailLines=many", "sinceTime=today", "limitBytes=1&sinceSeconds=x"} {
		values, _ := url.ParseQuery(query)
		if _, _, err := parseLogOptions(values, now); err == nil {
			t.Errorf("%s: no error", query)
		}
	}
	if _, previous, _ := parseLogOptions(url.Values{"previous": {"true"}}, now); !previous {
		t.Error("previous is not read")
	}
}

func TestFindLog(t *testing.T) {
	first, second := logOf("first"), logOf("second")
	p := &pod{name: "ns/p", main: []*container{
		{spec: corev1.Container{Name: "main"}, logs: []*containerLog{first, second}},
		{spec: corev1.Container{Name: "waits"}, state: waiting("ContainerCreating", "")},
	}, init: []*container{{spec: corev1.Container{Name: "guard"}, logs: []*containerLog{first}}}}
	n := &Node{pods: map[string]*pod{"uid": p}}
	for _, test := range []struct {
		pod, container string
		previous       bool
		want           *containerLog
		err            string
	}{
		{pod: "p", container: "main", want: second},
		{pod: "p", container: "main", previous: true, want: first},
		{pod: "p", container: "guard", want: first},
		{pod: "p", container: "guard", previous: true, err: `previous terminated container "guard" in pod "p" not found`},
		{pod: "p", container: "waits", err: `container "waits" in pod "p" is waiting to start: ContainerCreating`},
		{pod: "p", container: "other", err: `container "other" in pod "p" is not available`},
		{pod: "q", container: "main", err: `pod "q" is not on this node`},
	} {
		got, err := n.findLog("ns", test.pod, test.container, test.previous)
		if got != test.want || (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("%s/%s previous=%t: %v %v, want %q", test.pod, test.container, test.previous, got, err, test.err)
		}
	}
}

func TestTerminationMessage(t *testing.T) {
	const file, fallback = corev1.TerminationMessageReadFile, corev1.TerminationMessageFallbackToLogsOnError
	many := strings.Repeat("line\n", 100)
	for _, test := range []struct {
		name, file string
		policy     corev1.TerminationMessagePolicy
		code       int32
		log, want  string
	}{
		{name: "file", file: "said", policy: file, log: "log", want: "said"},
		{name: "file before log", file: "said", policy: fallback, code: 1, log: "log", want: "said"},
		{name: "log", policy: fallback, code: 1, log: "a\nlog", want: "a\nlog"},
		{name: "success needs no log", policy: fallback, log: "log"},
		{name: "policy without log", policy: file, code: 1, log: "log"},
		{name: "the last lines", policy: fallback, code: 1, log: many, want: many[:80*5]},
		{name: "the last bytes", policy: fallback, code: 1, log: strings.Repeat("x", 9999), want: strings.Repeat("x", 2048)},
		{name: "nothing at all", policy: fallback, code: 1},
		{name: "a long file", file: strings.Repeat("x", 9999), policy: file, want: strings.Repeat("x", 4096)},
	} {
		path := t.TempDir() + "/message"
		if err := makeFiles(t.TempDir(), t.TempDir(), path); err != nil {
			t.Fatal(err)
		}
		if err := (fileTree{"message": []byte(test.file)}).write(path[:len(path)-len("/message")]); err != nil {
			t.Fatal(err)
		}
		if got := terminationMessage(path, test.policy, test.code, test.log); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if got := terminationMessage("/nowhere/at/all", file, 0, ""); got != "" {
		t.Errorf("without a file: %q", got)
	}
}
