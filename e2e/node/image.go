package node

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Pod annotations that say how the pod's containers behave. Durations are Go's.
const (
	// ReadyAfterAnnotation delays readiness, of real and of fake containers.
	ReadyAfterAnnotation = "e2e.kapp-lifecycle.dev/ready-after"
	// FailAnnotation ("true") makes fake containers exit with code 1 instead of becoming ready.
	FailAnnotation = "e2e.kapp-lifecycle.dev/fail"
	// ExitAfterAnnotation makes fake containers end by themselves after that time.
	ExitAfterAnnotation = "e2e.kapp-lifecycle.dev/exit-after"
	// ExitCodeAnnotation is the exit code with which fake containers end; alone it means: at once.
	ExitCodeAnnotation = "e2e.kapp-lifecycle.dev/exit-code"
	// EntrypointAnnotation is a JSON list of strings: what containers without a command run.
	EntrypointAnnotation = "e2e.kapp-lifecycle.dev/entrypoint"
	// FakeAnnotation ("true") fakes all containers, also those with a command.
	FakeAnnotation = "e2e.kapp-lifecycle.dev/fake"
)

// Image says what stands for a container image.
type Image struct {
	Behaviour
	// Files are put into the container's root, executable: path in the container to content. Those in
	// /usr/local/bin, /usr/bin and /bin are found by their bare name.
	Files map[string]string
}

// Behaviour is how a container runs.
type Behaviour struct {
	Entrypoint []string      // for a container without a command
	Fake       bool          // run nothing, even if there is a command
	ReadyAfter time.Duration // from the start to readiness
	Exit       *Exit         // how a fake container ends; nil: see the package comment
	Output     string        // what a fake container logs when it starts
}

// Exit is the end of a fake container.
type Exit struct {
	After time.Duration
	Code  int32
}

// lookup finds what stands for the image: by its whole name, or without tag and digest.
func lookup(images map[string]Image, name string) (Image, bool) {
	if image, ok := images[name]; ok {
		return image, true
	}
	short, _, _ := strings.Cut(name, "@")
	if colon := strings.LastIndex(short, ":"); colon > strings.LastIndex(short, "/") {
		short = short[:colon]
	}
	image, ok := images[short]
	return image, ok
}

// behaviour refines the image's behaviour by the pod's annotations.
func behaviour(pod *corev1.Pod, base Behaviour) (Behaviour, error) {
	b, notes := base, pod.Annotations
	if text, ok := notes[EntrypointAnnotation]; ok {
		b.Entrypoint = nil
		if err := json.Unmarshal([]byte(text), &b.Entrypoint); err != nil {
			return b, fmt.Errorf(`annotation %s: %q is not a JSON list of strings (write '["sh", "-c", "..."]')`, EntrypointAnnotation, text)
		}
	}
	if notes[FakeAnnotation] == "true" {
		b.Fake = true
	}
	delay, _, err := duration(notes, ReadyAfterAnnotation)
	if err != nil {
		return b, err
	}
	if delay > 0 {
		b.ReadyAfter = delay
	}
	after, ends, err := duration(notes, ExitAfterAnnotation)
	if err != nil {
		return b, err
	}
	if ends {
		b.Exit = &Exit{After: after}
	}
	if text, ok := notes[ExitCodeAnnotation]; ok {
		code, err := strconv.ParseUint(text, 10, 8)
		if err != nil {
			return b, fmt.Errorf("annotation %s: %q is not an exit code (write a number from 0 to 255)", ExitCodeAnnotation, text)
		}
		b.Exit = &Exit{After: after, Code: int32(code)}
	}
	switch {
	case notes[FailAnnotation] == "true" && b.Exit == nil:
		b.Exit = &Exit{After: b.ReadyAfter, Code: 1}
	case notes[FailAnnotation] == "true":
		b.Exit = &Exit{After: b.Exit.After, Code: 1}
	case b.Exit == nil && pod.Spec.RestartPolicy != corev1.RestartPolicyAlways:
		b.Exit = &Exit{}
	}
	return b, nil
}

func duration(notes map[string]string, name string) (time.Duration, bool, error) {
	text, ok := notes[name]
	if !ok {
		return 0, false, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, false, fmt.Errorf("annotation %s: %q is not a duration (write something like 500ms)", name, text)
	}
	return d, true, nil
}

// command is what the container runs, or nothing if it is faked.
func (b Behaviour) command(c corev1.Container) []string {
	command := c.Command
	if len(command) == 0 {
		command = b.Entrypoint
	}
	if b.Fake || len(command) == 0 {
		return nil
	}
	return append(append([]string(nil), command...), c.Args...)
}
