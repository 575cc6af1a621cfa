package yamlstream

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

var splits = []struct {
	name, stream string
	want         []Document
}{
	{"no marker", "a: 1\n", []Document{{[]byte("a: 1\n"), 1}}},
	{"two", "a: 1\n---\nb: 2\n", []Document{{[]byte("a: 1\n"), 1}, {[]byte("b: 2\n"), 3}}},
	{"marker first", "---\na: 1\n", []Document{{nil, 1}, {[]byte("a: 1\n"), 2}}},
	{"comment on the marker's line", "--- # one\na: 1\n", []Document{{nil, 1}, {[]byte("a: 1\n"), 2}}},
	{"content on the marker's line", "--- {a: 1}\n--- |\n  x\n", []Document{{nil, 1}, {[]byte(" {a: 1}\n"), 1}, {[]byte(" |\n  x\n"), 2}}},
	{"end marker", "a: 1\n...\nb: 2\n", []Document{{[]byte("a: 1\n"), 1}, {[]byte("b: 2\n"), 3}}},
	{"both markers", "a: 1\n...\n---\nb: 2\n", []Document{{[]byte("a: 1\n"), 1}, {nil, 3}, {[]byte("b: 2\n"), 4}}},
	{"indented marker in a block scalar", "a: |\n  ---\n  x\n", []Document{{[]byte("a: |\n  ---\n  x\n"), 1}}},
	{"four dashes", "a: |\n  x\n----\n", []Document{{[]byte("a: |\n  x\n----\n"), 1}}},
	{"CRLF", "a: 1\r\n---\r\nb: 2\r\n", []Document{{[]byte("a: 1\r\n"), 1}, {[]byte("b: 2\r\n"), 3}}},
	{"no line end", "a: 1\n---\nb: 2", []Document{{[]byte("a: 1\n"), 1}, {[]byte("b: 2"), 3}}},
	{"marker at the end", "a: 1\n---", []Document{{[]byte("a: 1\n"), 1}, {nil, 3}}},
	{"byte order marks", "\xef\xbb\xbfa: 1\n\xef\xbb\xbf---\nb: 2\n", []Document{{[]byte("a: 1\n"), 1}, {[]byte("b: 2\n"), 3}}},
	{"directive", "%YAML 1.1\n---\na: 1\n", []Document{{nil, 2}, {[]byte("a: 1\n"), 3}}},
	{"nothing", "", []Document{{nil, 1}}},
}

func TestSplit(t *testing.T) {
	for _, tc := range splits {
		t.Run(tc.name, func(t *testing.T) {
			got := Split([]byte(tc.stream))
			if diff := cmp.Diff(tc.want, got, cmp.Transformer("text", func(b []byte) string { return string(b) })); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEmpty(t *testing.T) {
	for text, want := range map[string]bool{"": true, " \n\t\n": true, "# a\n  # b\r\n": true, "a: 1\n": false, "# a\n- b": false, "null\n": false} {
		if got := (Document{Text: []byte(text)}).Empty(); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestJoin(t *testing.T) {
	var out bytes.Buffer
	if err := Join(&out, [][]byte{[]byte("a: 1\n"), []byte("b: 2"), []byte("c: 3\r\n")}); err != nil {
		t.Fatal(err)
	}
	if want := "---\na: 1\n---\nb: 2\n---\nc: 3\r\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// decodeAll reads a whole stream; ok is false where it is not YAML.
func decodeAll(stream []byte) (values []any, ok bool) {
	decoder := yaml.NewDecoder(bytes.NewReader(stream))
	for {
		var value any
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return values, true
		}
		if err != nil {
			return nil, false
		}
		if value != nil {
			values = append(values, value)
		}
	}
}

// FuzzSplit: what a parser makes of the stream, it makes of the documents one by one.
func FuzzSplit(f *testing.F) {
	for _, tc := range splits {
		f.Add([]byte(tc.stream))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		documents := Split(stream)
		want, ok := decodeAll(stream)
		if !ok || bytes.ContainsAny(stream, "%&*!\r\u0085\u2028\u2029") || bytes.Contains(stream, bom) {
			// Directives, anchors and tags may reach across, and yaml.v3 knows line ends that kapp's reader does not.
			return
		}
		var got []any
		for _, document := range documents {
			values, ok := decodeAll(document.Text)
			if !ok {
				t.Fatalf("%q is not YAML, but the stream is", document.Text)
			}
			got = append(got, values...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the stream (-), its documents (+):\n%s", diff)
		}
	})
}
