package lifecycle

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const head = `apiVersion: kapp-lifecycle.dev/v1alpha1
kind: Lifecycle
metadata:
  name: web
spec:
`

// hooks puts hooks, indented by two, into a document; their first line is line 7.
func hooks(text string) string { return head + "  hooks:\n" + text }

// refused are documents and the whole of what is said about them.
var refused = []struct {
	name, text, want string
}{
	{"empty", "", "f.yaml:1:1: the Lifecycle is empty (write apiVersion, kind, metadata and spec)"},
	{"only comments", "# nothing\n", "f.yaml:1:1: the Lifecycle is empty (write apiVersion, kind, metadata and spec)"},
	{"a list", "- a\n", "f.yaml:1:1: a Lifecycle is a mapping (write apiVersion, kind, metadata and spec)"},
	{"not YAML", "apiVersion: a: b\n", "f.yaml:1:1: it is not YAML: mapping values are not allowed in this context (look at this line and the one before for indentation, quotes and colons)"},
	{"tab", "apiVersion: kapp-lifecycle.dev/v1alpha1\nspec:\n\thooks: []\n", "f.yaml:3:1: a tab stands in the indentation (YAML wants spaces)"},
	{"alias across documents", head + "  hooks: *hooks\n", "f.yaml:1:1: it is not YAML: unknown anchor 'hooks' referenced (look at this line and the one before for indentation, quotes and colons)"},
	{"two documents", head + "---\nkind: Secret\n", "f.yaml:6:1: a Lifecycle is one document, and here another begins (move it to the app's manifests)"},
	{"no apiVersion", "kind: Lifecycle\n", "f.yaml:1:1: the Lifecycle has no apiVersion (add apiVersion: kapp-lifecycle.dev/v1alpha1)"},
	{"wrong apiVersion", "apiVersion: kapp-lifecycle.dev/v1\nkind: Lifecycle\n", `f.yaml:1:13: "kapp-lifecycle.dev/v1" is not an apiVersion that this kapp-lifecycle reads (write kapp-lifecycle.dev/v1alpha1)`},
	{"wrong kind", "apiVersion: kapp-lifecycle.dev/v1alpha1\nkind: LifeCycle\n", `f.yaml:2:7: "LifeCycle" is not the kind of a Lifecycle (write Lifecycle)`},
	{"unknown key at the top", head + "hook: []\n", `f.yaml:6:1: "hook" is not a key of the Lifecycle (it is one of apiVersion, kind, metadata, spec)`},
	{"hooks at the top", head + "hooks: []\n", `f.yaml:6:1: "hooks" is not a key of the Lifecycle (it belongs to spec)`},
	{"misspelt key", hooks("  - name: a\n    evnts: [pre-deploy]\n    image: x\n"), "f.yaml:7:5: spec.hooks[0] has no events (add events: one or more of pre-install, pre-upgrade, post-install, post-upgrade, pre-deploy, post-deploy)\n" +
		`f.yaml:8:5: "evnts" is not a key of spec.hooks[0] (did you mean "events"?)`},
	{"boolean key", hooks("  - name: a\n    on: [pre-deploy]\n    events: [pre-deploy]\n    image: x\n"), `f.yaml:8:5: "on" is not a key of spec.hooks[0]: YAML takes it for true or false (it is one of name, events, image, command, args, env, envFrom, resources, securityContext, volumes, volumeMounts, serviceAccountName, imagePullSecrets, namespace, template, from, run, interval, weight, timeout, retries, onFailure, before, after, triggers, guard, guardImage, deployLogs)`},
	{"key of a hook in spec", head + "  timeout: 5m\n", `f.yaml:6:3: "timeout" is not a key of spec (it belongs to a hook of spec.hooks)`},
	{"key twice", hooks("  - name: a\n    name: b\n    events: [pre-deploy]\n    image: x\n"), `f.yaml:8:5: the key "name" stands twice, first on line 7 (remove one)`},
	{"key twice in what Kubernetes defines", hooks("  - name: a\n    events: [pre-deploy]\n    image: x\n    resources: {limits: {cpu: 1, cpu: 2}}\n"), `f.yaml:10:34: the key "cpu" stands twice, first on line 10 (remove one)`},
	{"not supported yet", head + "  requires: []\n", `f.yaml:6:3: spec.requires is not supported yet (remove it)`},
	{"later event", hooks("  - name: a\n    events: [pre-delete]\n    image: x\n"), `f.yaml:8:14: the event "pre-delete" is not supported yet (it is one of pre-install, pre-upgrade, post-install, post-upgrade, pre-deploy, post-deploy)`},
	{"misspelt event", hooks("  - name: a\n    events:\n    - pre-instal\n    image: x\n"), `f.yaml:9:7: "pre-instal" is not a hook event (did you mean "pre-install"?)`},
	{"upper case event", hooks("  - name: a\n    events: [Pre-Install]\n    image: x\n"), `f.yaml:8:14: "Pre-Install" is not a hook event (did you mean "pre-install"?)`},
	{"Helm's event", hooks("  - name: a\n    events: [rollback]\n    image: x\n"), `f.yaml:8:14: "rollback" is not a hook event (it is one of pre-install, pre-upgrade, post-install, post-upgrade, pre-deploy, post-deploy)`},
	{"event twice", hooks("  - name: a\n    events: [pre-install, pre-deploy]\n    image: x\n"), `f.yaml:8:27: the event "pre-install" is given twice (remove one)`},
	{"no events", hooks("  - name: a\n    events: []\n    image: x\n"), `f.yaml:8:5: the hook "a" has no events (write one or more of pre-install, pre-upgrade, post-install, post-upgrade, pre-deploy, post-deploy)`},
	{"events as text", hooks("  - name: a\n    events: pre-deploy\n    image: x\n"), `f.yaml:8:13: spec.hooks[0].events is text, and must be a list (write [...] around it, or a - before each)`},
	{"no name", hooks("  - events: [pre-deploy]\n    image: x\n"), `f.yaml:7:5: spec.hooks[0] has no name (add name: lower case letters, digits and -)`},
	{"bad name", hooks("  - name: Run_Migrations\n    events: [pre-deploy]\n    image: x\n"), `f.yaml:7:11: "Run_Migrations" is no name (write lower case letters, digits and -, at most 63, such as "run-migrations")`},
	{"one name twice", hooks("  - {name: a, events: [pre-deploy], image: x}\n  - {name: a, events: [post-deploy], image: x}\n"), `f.yaml:8:12: two hooks have the name "a", the first on line 7 (give one of them another name)`},
	{"unknown run", hooks("  - {name: a, events: [pre-deploy], image: x, run: onchange}\n"), `f.yaml:7:52: "onchange" is not a value of run (did you mean "on-change"?)`},
	{"boolean as name", hooks("  - {name: yes, events: [pre-deploy], image: x}\n"), `f.yaml:7:12: spec.hooks[0].name is true or false, and must be text (put it in quotes)`},
	{"negative retries", hooks("  - {name: a, events: [pre-deploy], image: x, retries: -1}\n"), `f.yaml:7:56: "-1" is no value for retries (write a whole number, 0 or more)`},
	{"octal retries", hooks("  - {name: a, events: [pre-deploy], image: x, retries: 010}\n"), `f.yaml:7:56: "010" is no value for retries (write a whole number, 0 or more)`},
	{"large weight", hooks("  - {name: a, events: [pre-deploy], image: x, weight: 3000000000}\n"), `f.yaml:7:55: "3000000000" is no value for weight (write a whole number)`},
	{"days", hooks("  - {name: a, events: [pre-deploy], image: x, timeout: 7d}\n"), `f.yaml:7:56: "7d" is not a duration (write 168h)`},
	{"bare number", hooks("  - {name: a, events: [pre-deploy], image: x, timeout: 300}\n"), `f.yaml:7:56: "300" is not a duration (write 300s for seconds, or 300m for minutes)`},
	{"words", hooks("  - {name: a, events: [pre-deploy], image: x, timeout: 5 minutes}\n"), `f.yaml:7:56: "5 minutes" is not a duration (write hours, minutes and seconds, such as 90s, 5m or 1h30m)`},
	{"no time at all", hooks("  - {name: a, events: [pre-deploy], image: x, timeout: 0s}\n"), `f.yaml:7:56: "0s" is not a duration (write hours, minutes and seconds, such as 90s, 5m or 1h30m)`},
	{"every without interval", hooks("  - {name: a, events: [pre-deploy], image: x, run: every}\n"), `f.yaml:7:52: run: every needs an interval (add interval, such as 24h)`},
	{"interval without every", hooks("  - {name: a, events: [pre-deploy], image: x, interval: 24h}\n"), `f.yaml:7:57: interval goes only with run: every (remove interval, or write run: every)`},
	{"nothing to run", hooks("  - {name: a, events: [pre-deploy]}\n"), `f.yaml:7:5: the hook "a" has nothing to run (give it an image (or spec.defaults.image), a template, or from)`},
	{"two sources", hooks("  - {name: a, events: [pre-deploy], image: x, from: {kind: Job, name: b}}\n"), `f.yaml:7:44: a hook has one source, and this one has from and image (keep one of image (with command, env and so on), template, from)`},
	{"from a Deployment", hooks("  - {name: a, events: [pre-deploy], from: {kind: Deployment, name: b}}\n"), `f.yaml:7:50: a hook cannot be made from a Deployment (it is one of Job, Pod)`},
	{"from without name", hooks("  - {name: a, events: [pre-deploy], from: {kind: Job}}\n"), `f.yaml:7:37: from has no name (add the name of the Job)`},
	{"selector without kind", hooks("  - {name: a, events: [pre-deploy], image: x, before: [{name: api}]}\n"), `f.yaml:7:56: spec.hooks[0].before[0] has no kind (add kind, such as Deployment)`},
	{"shell guard without command", hooks("  - {name: a, events: [pre-install], image: x, guard: shell}\n"), `f.yaml:7:55: guard: shell needs a command to stand before, and this hook has none (write the command, or guard: init with a guardImage)`},
	{"ttl", hooks("  - {name: a, events: [pre-deploy], image: x, ttlSecondsAfterFinished: 9}\n"), `f.yaml:7:47: a hook cannot have ttlSecondsAfterFinished (remove it: the Job would be gone, and run again at the next deploy)`},
	{"restartPolicy Always", hooks("  - name: a\n    events: [pre-deploy]\n    template:\n      spec:\n        restartPolicy: Always\n        containers: [{name: c, image: x}]\n"), `f.yaml:11:24: a hook cannot have restartPolicy Always (write Never or OnFailure)`},
	{"template without containers", hooks("  - name: a\n    events: [pre-deploy]\n    template: {spec: {}}\n"), `f.yaml:9:16: the template has no spec.containers (add one with name and image)`},
	{"container without image", hooks("  - name: a\n    events: [pre-deploy]\n    template: {spec: {containers: [{name: c}]}}\n"), `f.yaml:9:36: a container has no image (add it)`},
	{"reserved variable", hooks("  - {name: a, events: [pre-deploy], image: x, env: [{name: LIFECYCLE_EVENT, value: x}]}\n"), `f.yaml:7:60: the environment variable LIFECYCLE_EVENT is ours (give yours another name)`},
	{"env as a mapping", hooks("  - name: a\n    events: [pre-deploy]\n    image: x\n    env: {A: b}\n"), `f.yaml:10:10: spec.hooks[0].env is a mapping, and must be a list (write [...] around it, or a - before each)`},
	{"merge key", hooks("  - &a {name: a, events: [pre-deploy], image: x}\n  - {<<: *a, name: b}\n"), "f.yaml:8:5: spec.hooks[1] has no events (add events: one or more of pre-install, pre-upgrade, post-install, post-upgrade, pre-deploy, post-deploy)\n" +
		"f.yaml:8:6: ytt, which reads this file too, has no merge keys (write the keys out)"},
	{"bad metadata.name", strings.Replace(head, "web", "Web App", 1), `f.yaml:4:9: "Web App" is no name (write lower case letters, digits and -, at most 63, such as "web-app")`},
	{"long metadata.name", strings.Replace(head, "web", strings.Repeat("w", 64), 1), `f.yaml:4:9: "` + strings.Repeat("w", 64) + `" is no name (write lower case letters, digits and -, at most 63, such as "` + strings.Repeat("w", 63) + `")`},
}

func TestParseRefuses(t *testing.T) {
	for _, tc := range refused {
		t.Run(tc.name, func(t *testing.T) {
			parsed, _, problems := Parse("f.yaml", []byte(tc.text), 1)
			if parsed != nil {
				t.Error("a Lifecycle came back beside the problems")
			}
			if diff := cmp.Diff(tc.want, problems.Error()); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

// accepted are documents that may be written.
var accepted = map[string]string{
	"least":            head,
	"no name":          "apiVersion: kapp-lifecycle.dev/v1alpha1\nkind: Lifecycle\n",
	"nulls are absent": "apiVersion: kapp-lifecycle.dev/v1alpha1\nkind: Lifecycle\nmetadata: {name: null, namespace: }\nspec: {hooks: , defaults: }\n",
	"short form": hooks(`  - name: a
    events: [pre-install, post-upgrade]
    image: x
    command: [sh, -c, "true"]
    env: [{name: A, value: "1"}, {name: B, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
    envFrom: [{secretRef: {name: s}}]
    resources: {limits: {cpu: 100m}}
    securityContext: {runAsNonRoot: true}
    volumes: [{name: v, emptyDir: {}}]
    volumeMounts: [{name: v, mountPath: /v}]
    serviceAccountName: s
    weight: -5
    retries: 0
    timeout: 1h30m
    before: [{kind: Deployment, name: api}]
    after: [{apiVersion: apps/v1, kind: StatefulSet, namespace: db}]
    triggers: [{kind: ConfigMap}]
    onFailure: continue
    guard: init
    guardImage: busybox
    deployLogs: none
`),
	"template":        hooks("  - {name: a, events: [pre-deploy], template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}\n"),
	"from":            hooks("  - {name: a, events: [post-deploy], from: {kind: Job, name: j}, run: once}\n"),
	"every":           hooks("  - {name: a, events: [post-deploy], image: x, run: every, interval: 24h}\n"),
	"default image":   head + "  defaults: {image: x, retries: 1, run: always}\n  hooks: [{name: a, events: [pre-deploy]}]\n",
	"anchor":          hooks("  - {name: a, events: &events [pre-deploy], image: x}\n  - {name: b, events: *events, image: x}\n"),
	"quoted booleans": hooks("  - {name: \"yes\", events: [pre-deploy], image: x}\n"),
}

func TestParseAccepts(t *testing.T) {
	for name, text := range accepted {
		t.Run(name, func(t *testing.T) {
			parsed, _, problems := Parse("f.yaml", []byte(text), 1)
			if parsed == nil || len(problems) > 0 {
				t.Errorf("got %v", problems)
			}
		})
	}
}

func TestParseWarns(t *testing.T) {
	text := hooks("  - {name: a, events: [pre-deploy], image: x, volumes: [{name: v, emptyDir: {}}]}\n")
	parsed, _, problems := Parse("f.yaml", []byte(text), 1)
	if parsed == nil || len(problems) != 1 || problems.Error() != `f.yaml:7:47: warning: the hook "a" mounts none of its volumes (add volumeMounts)` {
		t.Errorf("got %v", problems)
	}
}

func TestParseGivesAllProblemsByPlaceInAStream(t *testing.T) {
	text := hooks("  - {name: a, events: [pre-instal], image: x, retries: -1}\n")
	_, _, problems := Parse("all.yaml", []byte(text), 101)
	want := `all.yaml:107:24: "pre-instal" is not a hook event (did you mean "pre-install"?)
all.yaml:107:56: "-1" is no value for retries (write a whole number, 0 or more)`
	if diff := cmp.Diff(want, problems.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestParseBoundsAliases(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString(head + "  defaults:\n    resources:\n      a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		line := strings.Repeat("*aP, ", 10)
		bomb.WriteString(strings.NewReplacer("aP", "a"+string(rune('a'+i-1)), "N", string(rune('a'+i))).Replace("      aN: &aN [" + strings.TrimSuffix(line, ", ") + "]\n"))
	}
	text := strings.Replace(bomb.String(), "a0: &a0", "aa: &aa", 1)
	_, _, problems := Parse("f.yaml", []byte(text), 1)
	if len(problems) != 1 || !strings.Contains(problems.Error(), "values once its aliases are followed") {
		t.Errorf("got %v", problems)
	}
}

func TestParseBoundsSize(t *testing.T) {
	_, _, problems := Parse("f.yaml", []byte(strings.Repeat("#", MaxSize+1)), 1)
	if len(problems) != 1 || !strings.Contains(problems.Error(), "larger than 1024 KiB") {
		t.Errorf("got %v", problems)
	}
}

func TestSourcePosition(t *testing.T) {
	text := hooks("  - name: a\n    events: [pre-deploy]\n    from:\n      kind: Job\n      name: j\n    before:\n    - kind: Deployment\n")
	_, source, _ := Parse("f.yaml", []byte(text), 1)
	for path, want := range map[string]string{
		"spec.hooks[0]":                "f.yaml:7:5",
		"spec.hooks[0].name":           "f.yaml:7:11",
		"spec.hooks[0].events[0]":      "f.yaml:8:14",
		"spec.hooks[0].from":           "f.yaml:9:5",
		"spec.hooks[0].from.name":      "f.yaml:11:13",
		"spec.hooks[0].from.namespace": "f.yaml:9:5",
		"spec.hooks[0].before[0]":      "f.yaml:13:7",
		"spec.hooks[0].before[4]":      "f.yaml:12:5",
		"spec.nothing.at.all":          "f.yaml:5:1",
		"":                             "f.yaml:1:1",
	} {
		if got := source.Position(path).String(); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, tc := range refused {
		f.Add([]byte(tc.text))
	}
	for _, text := range accepted {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		parsed, source, problems := Parse("f.yaml", text, 1)
		if (parsed == nil) != (problems.Err() != nil) {
			t.Fatalf("a Lifecycle %v and problems %v", parsed, problems)
		}
		lines := strings.Count(string(text), "\n") + 1
		for _, p := range problems {
			// yaml.v3 takes a carriage return and Unicode's line ends for ends of lines as well.
			if p.Line < 1 || p.Line > lines && !strings.ContainsAny(string(text), "\r\u0085\u2028\u2029") {
				t.Errorf("%s is outside of %d lines", p.Error(), lines)
			}
		}
		source.Position("spec.hooks[0].name")
	})
}
