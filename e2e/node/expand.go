package node

import "strings"

// expand replaces $(NAME) by the variable's value and $$ by $, as the kubelet does in command, args and env
// values. A reference to a variable that does not exist stays as it is.
func expand(s string, get func(name string) (string, bool)) string {
	var out strings.Builder
	for {
		dollar := strings.IndexByte(s, '$')
		if dollar < 0 || dollar == len(s)-1 {
			out.WriteString(s)
			return out.String()
		}
		out.WriteString(s[:dollar])
		s = s[dollar:]
		end := strings.IndexByte(s, ')')
		switch {
		case s[1] == '$':
			out.WriteByte('$')
			s = s[2:]
		case s[1] == '(' && end > 0:
			if value, ok := get(s[2:end]); ok {
				out.WriteString(value)
			} else {
				out.WriteString(s[:end+1])
			}
			s = s[end+1:]
		default:
			out.WriteByte('$')
			s = s[1:]
		}
	}
}
