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

// Who refuses a document beside Parse.
const (
	// byAll is for its structure: the JSON Schema and the ytt schema refuse it too.
	byAll = iota
	// bySchema is for a word or a missing key: the JSON Schema refuses it, and the ytt program does in its own words.
	bySchema
	// byParse is for what no schema can say, or no other reader gets to see.
	byParse
)

// refused are documents and the whole of what is said about them.
var refused = []struct {
	name, text, want string
	by               int
}{
	{"empty", "", "f.yaml:1:1: the Lifecycle is empty (write apiVersion, kind, metadata and spec)", byParse},
	{"only comments", "# nothing\n", "f.yaml:1:1: the Lifecycle is empty (write apiVersion, kind, metadata and spec)", byParse},
	{"a list", "- a\n", "f.yaml:1:1: a Lifecycle is a mapping (write apiVersion, kind, metadata and spec)", bySchema},
	{"not YAML", "apiVersion: a: b\n", "f.yaml:1:1: it is not YAML: mapping values are not allowed in this context (look at this line and the one before for indentation, quotes and colons)", byParse},
	{"tab", "apiVersion: kapp-lifecycle.dev/v1alpha1\nspec:\n\thooks: []\n", "f.yaml:3:1: a tab stands in the indentation (YAML wants spaces)", byParse},
	{"carriage return alone", "apiVersion: x\nkind: y\rmetadata: {}\n", "f.yaml:2:8: a line ends with U+000D (end lines with a newline; within a value in double quotes it can be written as an escape)", byParse},
	{"line separator", head + "  \"x\u2028\": 1\n", "f.yaml:6:5: a line ends with U+2028 (end lines with a newline; within a value in double quotes it can be written as an escape)", byParse},
	{"start of a document only", "---\n", "f.yaml:1:1: the Lifecycle is empty (write apiVersion, kind, metadata and spec)", byParse},
	{"alias across documents", head + "  hooks: *hooks\n", "f.yaml:1:1: it is not YAML: unknown anchor 'hooks' referenced (look at this line and the one before for indentation, quotes and colons)", byParse},
	{"two documents", head + "---\nkind: Secret\n", "f.yaml:6:1: a Lifecycle is one document, and here another begins (move it to the app's manifests)", byParse},
	{"no apiVersion", "kind: Lifecycle\n", "f.yaml:1:1: the Lifecycle has no apiVersion (add apiVersion: kapp-lifecycle.dev/v1alpha1)", bySchema},
	{"wrong apiVersion", "apiVersion: kapp-lifecycle.dev/v1\nkind: Lifecycle\n", `f.yaml:1:13: "kapp-lifecycle.dev/v1" is not an apiVersion that this kapp-lifecycle reads (write kapp-lifecycle.dev/v1alpha1)`, byAll},
	{"wrong kind", "apiVersion: kapp-lifecycle.dev/v1alpha1\nkind: LifeCycle\n", `f.yaml:2:7: "LifeCycle" is not the kind of a Lifecycle (write Lifecycle)`, bySchema},
	{"unknown key at the top", head + "hook: []\n", `f.yaml:6:1: "hook" is not a key of the Lifecycle (it is one of apiVersion, kind, metadata, spec)`, byAll},
	{"hooks at the top", head + "hooks: []\n", `f.yaml:6:1: "hooks" is not a key of the Lifecycle (it belongs to spec)`, byAll},
	{"misspelt key", hooks("  - name: a\n    evnts: [pre-deploy]\n    image: x\n"), "f.yaml:7:5: spec.hooks[0] has no events (add events: one or more of pre-install, pre-upgrade, post-install, post-upgrade, pre-deploy, post-deploy)\n" +
		`f.yaml:8:5: "evnts" is not a key of spec.hooks[0] (did you mean "events"?)`, bySchema},
	{"boolean key", hooks("  - name: a\n    on: [pre-deploy]\n    events: [pre-deploy]\n    image: x\n"), `f.yaml:8:5: "on" is not a key of spec.hooks[0]: YAML takes it for true or false (it is one of name, events, image, command, args, env, envFrom, resources, securityContext, volumes, volumeMounts, serviceAccountName, imagePullSecrets, namespace, template, from, run, interval, weight, timeout, retries, onFailure, before, after, triggers, guard, guardImage, deployLogs)`, byAll},
	{"key of a hook in spec", head + "  timeout: 5m\n", `f.yaml:6:3: "timeout" is not a key of spec (it belongs to a hook of spec.hooks)`, byAll},
	{"key twice", hooks("  - name: a\n    name: b\n    events: [pre-deploy]\n    image: x\n"), `f.yaml:8:5: the key "name" stands twice, first on line 7 (remove one)`, byParse},
	{"key twice in what Kubernetes defines", hooks("  - name: a\n    events: [pre-deploy]\n    image: x\n    resources: {limits: {cpu: 1, cpu: 2}}\n"), `f.yaml:10:34: the key "cpu" stands twice, first on line 10 (remove one)`, byParse},
	{"not supported yet", head + "  requires: []\n", `f.yaml:6:3: spec.requires is not supported yet (remove it)`, bySchema},
	{"later event", hooks("  - name: a\n    events: [pre-delete]\n    image: x\n"), `f.yaml:8:14: the event "pre-delete" is not supported yet (it is one of pre-install, pre-upgrade, post-install, post-upgrade, pre-deploy, post-deploy)`, bySchema},
	{"misspelt event", hooks("  - name: a\n    events:\n    - pre-instal\n    image: x\n"), `f.yaml:9:7: "pre-instal" is not a hook event (did you mean "pre-install"?)`, bySchema},
	{"upper case event", hooks("  - name: a\n    events: [Pre-Install]\n    image: x\n"), `f.yaml:8:14: "Pre-Install" is not a hook event (did you mean "pre-install"?)`, bySchema},
	{"Helm's event", hooks("  - name: a\n    events: [rollback]\n    image: x\n"), `f.yaml:8:14: "rollback" is not a hook event (to kapp a rollback is an upgrade, to older content: write pre-upgrade or post-upgrade)`, bySchema},
	{"event twice", hooks("  - name: a\n    events: [pre-install, pre-deploy]\n    image: x\n"), `f.yaml:8:27: the event "pre-install" is given twice (remove one)`, byParse},
	{"no events", hooks("  - name: a\n    events: []\n    image: x\n"), `f.yaml:8:5: the hook "a" has no events (write one or more of pre-install, pre-upgrade, post-install, post-upgrade, pre-deploy, post-deploy)`, bySchema},
	{"events as text", hooks("  - name: a\n    events: pre-deploy\n    image: x\n"), `f.yaml:8:13: spec.hooks[0].events is text, and must be a list (write [...] around it, or a - before each)`, byAll},
	{"no name", hooks("  - events: [pre-deploy]\n    image: x\n"), `f.yaml:7:5: spec.hooks[0] has no name (add name: lower case letters, digits and -)`, bySchema},
	{"bad name", hooks("  - name: Run_Migrations\n    events: [pre-deploy]\n    image: x\n"), `f.yaml:7:11: "Run_Migrations" is no name (write lower case letters, digits and -, at most 63, such as "run-migrations")`, bySchema},
	{"one name twice", hooks("  - {name: a, events: [pre-deploy], image: x}\n  - {name: a, events: [post-deploy], image: x}\n"), `f.yaml:8:12: two hooks have the name "a", the first on line 7 (give one of them another name)`, byParse},
	{"unknown run", hooks("  - {name: a, events: [pre-deploy], image: x, run: onchange}\n"), `f.yaml:7:52: "onchange" is not a value of run (did you mean "on-change"?)`, bySchema},
	{"boolean as name", hooks("  - {name: yes, events: [pre-deploy], image: x}\n"), `f.yaml:7:12: spec.hooks[0].name is true or false, and must be text (put it in quotes)`, byParse},
	{"negative retries", hooks("  - {name: a, events: [pre-deploy], image: x, retries: -1}\n"), `f.yaml:7:56: "-1" is no value for retries (write a whole number, 0 or more)`, bySchema},
	{"octal retries", hooks("  - {name: a, events: [pre-deploy], image: x, retries: 010}\n"), `f.yaml:7:56: "010" is no value for retries (write a whole number, 0 or more)`, byParse},
	{"large weight", hooks("  - {name: a, events: [pre-deploy], image: x, weight: 3000000000}\n"), `f.yaml:7:55: "3000000000" is no value for weight (write at most 2147483647)`, bySchema},
	{"days", hooks("  - {name: a, events: [pre-deploy], image: x, timeout: 7d}\n"), `f.yaml:7:56: "7d" is not a duration (write 168h)`, bySchema},
	{"bare number", hooks("  - {name: a, events: [pre-deploy], image: x, timeout: 300}\n"), `f.yaml:7:56: "300" is not a duration (write 300s for seconds, or 300m for minutes)`, byAll},
	{"words", hooks("  - {name: a, events: [pre-deploy], image: x, timeout: 5 minutes}\n"), `f.yaml:7:56: "5 minutes" is not a duration (write 5m)`, bySchema},
	{"no time at all", hooks("  - {name: a, events: [pre-deploy], image: x, timeout: 0s}\n"), `f.yaml:7:56: "0s" is not a duration (write more than nothing, such as 90s, 5m or 1h30m)`, bySchema},
	{"every without interval", hooks("  - {name: a, events: [pre-deploy], image: x, run: every}\n"), `f.yaml:7:52: run: every needs an interval (add interval, such as 24h)`, byParse},
	{"interval without every", hooks("  - {name: a, events: [pre-deploy], image: x, interval: 24h}\n"), `f.yaml:7:57: interval goes only with run: every (remove interval, or write run: every)`, byParse},
	{"nothing to run", hooks("  - {name: a, events: [pre-deploy]}\n"), `f.yaml:7:5: the hook "a" has nothing to run (give it an image (or spec.defaults.image), a template, or from)`, byParse},
	{"two sources", hooks("  - {name: a, events: [pre-deploy], image: x, from: {kind: Job, name: b}}\n"), `f.yaml:7:44: a hook has one source, and this one has from and image (keep one of image (with command, env and so on), template, from)`, byParse},
	{"from a Deployment", hooks("  - {name: a, events: [pre-deploy], from: {kind: Deployment, name: b}}\n"), `f.yaml:7:50: a hook cannot be made from a Deployment (it is one of Job, Pod)`, bySchema},
	{"from without name", hooks("  - {name: a, events: [pre-deploy], from: {kind: Job}}\n"), `f.yaml:7:37: from has no name (add the name of the Job)`, bySchema},
	{"selector without kind", hooks("  - {name: a, events: [pre-deploy], image: x, before: [{name: api}]}\n"), `f.yaml:7:56: spec.hooks[0].before[0] has no kind (add kind, such as Deployment)`, bySchema},
	{"shell guard without command", hooks("  - {name: a, events: [pre-install], image: x, guard: shell}\n"), `f.yaml:7:55: guard: shell needs a command to stand before, and this hook has none (write the command, or guard: init with a guardImage)`, byParse},
	{"ttl", hooks("  - {name: a, events: [pre-deploy], image: x, ttlSecondsAfterFinished: 9}\n"), `f.yaml:7:47: a hook cannot have ttlSecondsAfterFinished (remove it: the Job would be gone, and run again at the next deploy)`, byAll},
	{"restartPolicy Always", hooks("  - name: a\n    events: [pre-deploy]\n    template:\n      spec:\n        restartPolicy: Always\n        containers: [{name: c, image: x}]\n"), `f.yaml:11:24: a hook cannot have restartPolicy Always (write Never or OnFailure)`, byParse},
	{"template without containers", hooks("  - name: a\n    events: [pre-deploy]\n    template: {spec: {}}\n"), `f.yaml:9:16: the template has no spec.containers (add one with name and image)`, byParse},
	{"container without image", hooks("  - name: a\n    events: [pre-deploy]\n    template: {spec: {containers: [{name: c}]}}\n"), `f.yaml:9:36: a container has no image (add it)`, byParse},
	{"reserved variable", hooks("  - {name: a, events: [pre-deploy], image: x, env: [{name: LIFECYCLE_EVENT, value: x}]}\n"), `f.yaml:7:60: the environment variable LIFECYCLE_EVENT is ours (give yours another name)`, byParse},
	{"env as a mapping", hooks("  - name: a\n    events: [pre-deploy]\n    image: x\n    env: {A: b}\n"), `f.yaml:10:10: spec.hooks[0].env is a mapping, and must be a list (write [...] around it, or a - before each)`, bySchema},
	{"merge key", hooks("  - &a {name: a, events: [pre-deploy], image: x}\n  - {<<: *a, name: b}\n"), "f.yaml:8:6: ytt, which reads this file too, has no merge keys (write the keys out)", byParse},
	{"numbers for apiVersion and kind", "apiVersion: 1\nkind: 2\n", "f.yaml:1:13: apiVersion is a number, and must be text (put it in quotes)\nf.yaml:2:7: kind is a number, and must be text (put it in quotes)", byAll},
	{"another version, with keys of its own", "apiVersion: kapp-lifecycle.dev/v2\nkind: Lifecycle\nspec: {phases: []}\n", `f.yaml:1:13: "kapp-lifecycle.dev/v2" is not an apiVersion that this kapp-lifecycle reads (write kapp-lifecycle.dev/v1alpha1)`, byAll},
	{"alias within its anchor", head + "  defaults: {resources: &a {b: *a}}\n", `f.yaml:6:32: the alias "a" stands within its own anchor (write out what the aliases stand for)`, byParse},
	{"no text as key", head + "  ? [a]\n  : b\n", "f.yaml:6:5: a key is a list, and must be text (a { or [ that begins a value is put in quotes)", byParse},
	{"Argo CD's event", hooks("  - name: a\n    events: [PostSync]\n    image: x\n"), `f.yaml:8:14: "PostSync" is not a hook event (did you mean "post-deploy"?)`, bySchema},
	{"later key at the top", head + "requires: []\n", `f.yaml:6:1: "requires" is not a key of the Lifecycle (it belongs to spec, and is not supported yet)`, byAll},
	{"key of a Job", hooks("  - {name: a, events: [pre-deploy], image: x, backoffLimit: 3}\n"), `f.yaml:7:47: "backoffLimit" is not a key of spec.hooks[0] (write retries)`, byAll},
	{"misspelt command", hooks("  - {name: a, events: [pre-install], image: x, guard: shell, comand: [x]}\n"), `f.yaml:7:62: "comand" is not a key of spec.hooks[0] (did you mean "command"?)`, byAll},
	{"misspelt interval", hooks("  - {name: a, events: [pre-deploy], image: x, run: every, intervall: 1h}\n"), `f.yaml:7:59: "intervall" is not a key of spec.hooks[0] (did you mean "interval"?)`, byAll},
	{"empty image", hooks("  - {name: a, events: [pre-deploy], image: \"\"}\n"), "f.yaml:7:44: spec.hooks[0].image is empty (write it, or remove the key)", bySchema},
	{"quoted retries", hooks("  - {name: a, events: [pre-deploy], image: x, retries: \"3\"}\n"), `f.yaml:7:56: "3" is no value for retries (write a whole number, 0 or more, without quotes)`, byAll},
	{"list of retries", hooks("  - {name: a, events: [pre-deploy], image: x, retries: [3]}\n"), "f.yaml:7:56: spec.hooks[0].retries is a list, and must be a number (write a whole number, 0 or more)", byAll},
	{"part of an hour", hooks("  - {name: a, events: [pre-deploy], image: x, timeout: 1.25h}\n"), `f.yaml:7:56: "1.25h" is not a duration (write 1h15m)`, bySchema},
	{"unsorted units", hooks("  - {name: a, events: [pre-deploy], image: x, timeout: 30m1h}\n"), `f.yaml:7:56: "30m1h" is not a duration (write 1h30m)`, bySchema},
	{"milliseconds", hooks("  - {name: a, events: [pre-deploy], image: x, timeout: 500ms}\n"), `f.yaml:7:56: "500ms" is not a duration (write hours, minutes and seconds, such as 90s, 5m or 1h30m)`, bySchema},
	{"longer than a number can say", hooks("  - {name: a, events: [pre-deploy], image: x, timeout: 99999999h}\n"), `f.yaml:7:56: "99999999h" is not a duration (write a shorter one, such as 168h)`, byParse},
	{"from a job", hooks("  - {name: a, events: [pre-deploy], from: {kind: job, name: b}}\n"), `f.yaml:7:50: a hook cannot be made from a job (did you mean "Job"?)`, bySchema},
	{"from without kind", hooks("  - {name: a, events: [pre-deploy], from: {name: b}}\n"), "f.yaml:7:43: spec.hooks[0].from has no kind (add kind: one of Job, Pod)", bySchema},
	{"from and a ServiceAccount", hooks("  - {name: a, events: [pre-deploy], from: {kind: Job, name: b}, serviceAccountName: s}\n"), "f.yaml:7:85: a hook has one source, and this one has from and serviceAccountName (keep one of image (with command, env and so on), template, from)", byParse},
	{"restartPolicy empty", hooks("  - name: a\n    events: [pre-deploy]\n    template:\n      spec:\n        restartPolicy:\n        containers: [{name: c, image: x}]\n"), "f.yaml:11:9: restartPolicy is empty (write Never or OnFailure, or remove the key)", byParse},
	{"container as text", hooks("  - name: a\n    events: [pre-deploy]\n    template: {spec: {containers: [c]}}\n"), "f.yaml:9:36: a container is text, and must be a mapping (write its keys, such as name and image)", byParse},
	{"unknown key of a template", hooks("  - name: a\n    events: [pre-deploy]\n    template: {spec: {containers: [{name: c, image: x}]}, specs: {}}\n"), `f.yaml:9:59: "specs" is not a key of a pod template (did you mean "spec"?)`, byParse},
	{"number as label of a template", hooks("  - name: a\n    events: [pre-deploy]\n    template: {metadata: {labels: {v: 1}}, spec: {containers: [{name: c, image: x}]}}\n"), `f.yaml:9:39: the value of "v" in spec.hooks[0].template.metadata.labels is a number, and must be text (put it in quotes)`, byParse},
	{"number as label", strings.Replace(head, "name: web", "labels: {v: 1}", 1), `f.yaml:4:15: the value of "v" in metadata.labels is a number, and must be text (put it in quotes)`, bySchema},
	{"boolean as variable", hooks("  - {name: a, events: [pre-deploy], image: x, env: [{name: DEBUG, value: yes}]}\n"), `f.yaml:7:74: the value of the environment variable "DEBUG" is true or false, and must be text (put it in quotes)`, byParse},
	{"variable without name", hooks("  - {name: a, events: [pre-deploy], image: x, env: [{value: x}]}\n"), "f.yaml:7:53: an environment variable has no name (add name)", byParse},
	{"boolean as key in what Kubernetes defines", hooks("  - {name: a, events: [pre-deploy], image: x, resources: {limits: {on: 1}}}\n"), `f.yaml:7:68: the key "on" is true or false, and must be text (put it in quotes)`, byParse},
	{"long word", hooks("  - {name: a, events: [" + strings.Repeat("w", 200) + "], image: x}\n"), `f.yaml:7:24: "` + strings.Repeat("w", 100) + `..." is not a hook event (it is one of pre-install, pre-upgrade, post-install, post-upgrade, pre-deploy, post-deploy)`, bySchema},
	{"word of two lines", hooks("  - {name: a, events: [\"x\\ny\"], image: x}\n"), `f.yaml:7:24: "x\ny" is not a hook event (it is one of pre-install, pre-upgrade, post-install, post-upgrade, pre-deploy, post-deploy)`, bySchema},
	{"one problem at an anchor and its alias", hooks("  - {name: a, events: &e [pre-instal], image: x}\n  - {name: b, events: *e, image: x}\n"), `f.yaml:7:27: "pre-instal" is not a hook event (did you mean "pre-install"?)`, byParse},
	{"bad metadata.name", strings.Replace(head, "web", "Web App", 1), `f.yaml:4:9: "Web App" is no name (write lower case letters, digits and -, at most 63, such as "web-app")`, bySchema},
	{"long metadata.name", strings.Replace(head, "web", strings.Repeat("w", 64), 1), `f.yaml:4:9: "` + strings.Repeat("w", 64) + `" is no name (write lower case letters, digits and -, at most 63, such as "` + strings.Repeat("w", 63) + `")`, bySchema},
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
	"template":               hooks("  - {name: a, events: [pre-deploy], template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}\n"),
	"from":                   hooks("  - {name: a, events: [post-deploy], from: {kind: Job, name: j}, run: once}\n"),
	"every":                  hooks("  - {name: a, events: [post-deploy], image: x, run: every, interval: 24h}\n"),
	"default image":          head + "  defaults: {image: x, retries: 1, run: always}\n  hooks: [{name: a, events: [pre-deploy]}]\n",
	"anchor":                 hooks("  - {name: a, events: &events [pre-deploy], image: x}\n  - {name: b, events: *events, image: x}\n"),
	"anchors":                head + "  defaults: {resources: &r {limits: {cpu: 1}}}\n  hooks:\n  - {name: a, events: &e [pre-deploy], image: &i x, resources: *r}\n  - {name: b, events: *e, image: *i}\n",
	"JSON with tabs":         "{\n\t\"apiVersion\": \"kapp-lifecycle.dev/v1alpha1\",\n\t\"kind\": \"Lifecycle\"\n}\n",
	"carriage returns":       strings.ReplaceAll(hooks("  - name: a\n    events: [pre-deploy]\n    image: x\n"), "\n", "\r\n"),
	"empty argument":         hooks("  - {name: a, events: [pre-deploy], image: x, args: [\"\"]}\n"),
	"variable without value": hooks("  - {name: a, events: [pre-deploy], image: x, env: [{name: A}]}\n"),
	"quoted booleans":        hooks("  - {name: \"yes\", events: [pre-deploy], image: x}\n"),
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

// TestParseDropsAByteOrderMark: plain ytt takes it for a part of the first key.
func TestParseDropsAByteOrderMark(t *testing.T) {
	parsed, source, problems := Parse("f.yaml", []byte("\ufeff"+head), 1)
	if parsed == nil || len(problems) > 0 || string(source.Text) != head {
		t.Errorf("got %v and %q", problems, source.Text)
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

func TestParseChecksBesideOtherProblems(t *testing.T) {
	text := head + `  hook: []
  hooks:
  - {name: a, events: [pre-install, pre-install], image: x, guard: shell}
  - {name: a, events: [pre-instal], imag: x}
`
	_, _, problems := Parse("f.yaml", []byte(text), 1)
	want := `f.yaml:6:3: "hook" is not a key of spec (did you mean "hooks"?)
f.yaml:8:37: the event "pre-install" is given twice (remove one)
f.yaml:8:68: guard: shell needs a command to stand before, and this hook has none (write the command, or guard: init with a guardImage)
f.yaml:9:12: two hooks have the name "a", the first on line 8 (give one of them another name)
f.yaml:9:24: "pre-instal" is not a hook event (did you mean "pre-install"?)
f.yaml:9:37: "imag" is not a key of spec.hooks[1] (did you mean "image"?)`
	if diff := cmp.Diff(want, problems.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestParseBoundsRepeatedText(t *testing.T) {
	text := head + "  defaults:\n    resources:\n      a: &a " + strings.Repeat("x", MaxSize/2) + "\n      b: [" + strings.Repeat("*a, ", 20) + "]\n"
	_, _, problems := Parse("f.yaml", []byte(text), 1)
	if len(problems) != 1 || !strings.Contains(problems.Error(), "larger than 4096 KiB once its aliases are followed") {
		t.Errorf("got %v", problems)
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
