package node

import (
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Limits of the kubelet for a termination message.
const (
	maxMessage      = 4096
	maxMessageLog   = 2048
	maxMessageLines = 80
)

// terminationMessage is what the container left in its message file, or else, if its policy says so and it
// failed, the end of its log.
func terminationMessage(file string, policy corev1.TerminationMessagePolicy, code int32, log string) string {
	text, _ := os.ReadFile(file) // a container that removed it has nothing to say
	if len(text) > maxMessage {
		text = text[:maxMessage]
	}
	if len(text) > 0 || policy != corev1.TerminationMessageFallbackToLogsOnError || code == 0 {
		return string(text)
	}
	if len(log) > maxMessageLog {
		log = log[len(log)-maxMessageLog:]
	}
	lines := strings.SplitAfter(log, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines[max(0, len(lines)-maxMessageLines):], "")
}
