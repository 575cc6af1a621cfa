package node

import (
	"strings"
	"testing"
)

func TestMapper(t *testing.T) {
	m := newMapper("/R", []string{"/etc/config", "/etc", "/dev/termination-log", "/data/", "relative", "/"})
	for in, want := range map[string]string{
		"/etc/config":                          "/R/etc/config",
		"/etc/config/":                         "/R/etc/config/",
		"/etc/config/a.yaml":                   "/R/etc/config/a.yaml",
		"cat /etc/config/a /data/b":            "cat /R/etc/config/a /R/data/b",
		"/data:/data;/data":                    "/R/data:/R/data;/R/data",
		`cat "/data/x" '/data/y'`:              `cat "/R/data/x" '/R/data/y'`,
		"echo a message >/dev/termination-log": "echo a message >/R/dev/termination-log",
		"--config=/etc/config":                 "--config=/R/etc/config",
		"$(cat /data/x)":                       "$(cat /R/data/x)",
		// What only looks like a mounted path.
		"/etc/config.d/a":    "/R/etc/config.d/a", // /etc is mounted too
		"/database":          "/database",
		"/data-old":          "/data-old",
		"/mnt/data":          "/mnt/data",
		"./data":             "./data",
		"http://host/data":   "http://host/data",
		"http:///data":       "http:///data",
		"$MOUNT_ROOT/data":   "$MOUNT_ROOT/data",
		"${MOUNT_ROOT}/data": "${MOUNT_ROOT}/data",
		"$(pwd)/data":        "$(pwd)/data",
		"~/data":             "~/data",
		"relative /":         "relative /",
		"":                   "",
	} {
		if got := m.text(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// FuzzMapper: apart from the insertions the text stays as it is, and what is mapped is not mapped again.
func FuzzMapper(f *testing.F) {
	f.Add("cat /etc/config/a:/data", "/etc/config", "/data")
	f.Add("/a/a/a /a", "/a", "/a/a")
	f.Fuzz(func(t *testing.T, text, one, two string) {
		const root = "/\x01root"
		if strings.Contains(text+one+two, "\x01") {
			return
		}
		m := newMapper(root, []string{one, two})
		got := m.text(text)
		if back := strings.ReplaceAll(got, root, ""); back != text {
			t.Errorf("%q becomes %q", text, got)
		}
		if again := m.text(got); strings.Contains(again, root+root) {
			t.Errorf("%q is mapped twice: %q", text, again)
		}
	})
}
