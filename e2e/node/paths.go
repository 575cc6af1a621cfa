package node

import (
	"path"
	"sort"
	"strings"
)

// rootVariable is the env variable that names the container's root folder.
const rootVariable = "MOUNT_ROOT"

// mapper replaces paths in a container by paths of this machine.
type mapper struct {
	root  string
	paths []string // the longest first
}

// newMapper maps each of the absolute paths, and what lies below them, into root.
func newMapper(root string, paths []string) mapper {
	m := mapper{root: root}
	for _, p := range paths {
		if p = path.Clean(p); p != "/" && path.IsAbs(p) {
			m.paths = append(m.paths, p)
		}
	}
	sort.Slice(m.paths, func(i, j int) bool { return len(m.paths[i]) > len(m.paths[j]) })
	return m
}

// text replaces every mapped path in a command, an argument or a variable's value.
func (m mapper) text(s string) string {
	var out strings.Builder
	done := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '/' || i > 0 && continues(s[i-1]) {
			continue
		}
		if n := m.match(s[i:]); n > 0 {
			out.WriteString(s[done:i] + m.root + s[i:i+n])
			i, done = i+n-1, i+n
		}
	}
	return out.String() + s[done:]
}

// match gives the length of the mapped path with which s begins.
func (m mapper) match(s string) int {
	for _, p := range m.paths {
		if rest, ok := strings.CutPrefix(s, p); ok && (rest == "" || !isName(rest[0])) {
			return len(p)
		}
	}
	return 0
}

// continues tells that a "/" behind c goes on with a path, as in a/b, $A/b, ${A}/b, $(A)/b and http://.
func continues(c byte) bool { return isName(c) || strings.IndexByte("/~})", c) >= 0 }

// isName tells a character that makes a name longer: /etc/config is not meant by /etc/config.d.
func isName(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func (m mapper) all(list []string) []string {
	mapped := make([]string, len(list))
	for i, s := range list {
		mapped[i] = m.text(s)
	}
	return mapped
}
