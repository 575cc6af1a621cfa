// Package lifecycle reads the Lifecycle document (lifecycle.yaml): its types, its checks with places, and what is
// generated from the types: the JSON Schema for editors, the ytt schema and the tables of the ytt program.
//
// Parse is the common case. A Lifecycle that Parse accepts may still ask for what the app does not have; that is for
// lib/render to find, which reports it by path, and Source turns a path into a place.
//
// The tags of the types are the one source of what a key may be: json (its name), check (required, label, duration,
// natural, integer), enum and kinds (words of this file), default. Parse leaves empty what the document leaves out: the
// ytt program, which runs without this package too, lays spec.defaults and then DEFAULTS of its tables below a hook.
package lifecycle

const (
	// Group is the API group of all that is ours.
	Group = "kapp-lifecycle.dev"
	// APIVersion is the one version that this program reads.
	APIVersion = Group + "/v1alpha1"
	// Kind of the document.
	Kind = "Lifecycle"
)

// The words that a Lifecycle may use, in the order in which they are told.
var (
	// Events are the events of a deploy: of each phase, the install and the upgrade.
	Events = []string{"pre-install", "pre-upgrade", "post-install", "post-upgrade"}
	// Aliases stand for several events.
	Aliases = map[string][]string{
		"pre-deploy":  {"pre-install", "pre-upgrade"},
		"post-deploy": {"post-install", "post-upgrade"},
	}
	// LaterEvents are known, but not supported yet.
	LaterEvents = []string{"pre-delete", "post-delete", "test"}
	// LaterKeys are keys of spec that are known, but not supported yet.
	LaterKeys = []string{"requires", "exposes", "agent"}
	// Runs say when a hook runs again.
	Runs = []string{"on-change", "once", "always", "every"}
	// OnFailures say what a failed hook does to the deploy.
	OnFailures = []string{"stop", "continue"}
	// Guards say how a hook that is only for an install or only for an upgrade is held back.
	Guards = []string{"auto", "shell", "init"}
	// FromKinds are the kinds of resources that can become a hook.
	FromKinds = []string{"Job", "Pod"}
	// DeployLogs are the values of kapp's annotation kapp.k14s.io/deploy-logs, and none.
	DeployLogs = []string{"for-new", "for-existing", "for-new-or-existing", "none"}
)

// Lifecycle says when things happen in the life of an app.
type Lifecycle struct {
	// Version of this format.
	APIVersion string `json:"apiVersion" check:"required"`
	// Kind of this document.
	Kind string `json:"kind" check:"required"`
	// Name and namespace of the app's hooks.
	Metadata Metadata `json:"metadata"`
	// What happens when.
	Spec Spec `json:"spec"`
}

// Metadata of a Lifecycle.
type Metadata struct {
	// Prefix of every generated name and change group: lower case letters, digits and dashes. Where it is missing, --app is needed.
	Name string `json:"name" check:"label"`
	// Where hooks run that say nothing else; without it, in the namespace that kapp is given.
	Namespace string `json:"namespace" check:"label"`
	// Labels of this document; they are not used.
	Labels map[string]string `json:"labels"`
	// Annotations of this document; they are not used.
	Annotations map[string]string `json:"annotations"`
}

// Spec of a Lifecycle.
type Spec struct {
	// Values for all hooks that say nothing else.
	Defaults Defaults `json:"defaults"`
	// The hooks.
	Hooks []Hook `json:"hooks"`
}

// Defaults of a Lifecycle's hooks.
type Defaults struct {
	// Image of the container, in the short form.
	Image string `json:"image"`
	// ServiceAccount of the pod, in the short form and where a template has none.
	ServiceAccountName string `json:"serviceAccountName"`
	// Secrets to pull images with, in the short form and where a template has none.
	ImagePullSecrets []map[string]any `json:"imagePullSecrets"`
	// Environment variables of the container, in the short form; a hook's own of the same name go before them.
	Env []map[string]any `json:"env"`
	// Sources of environment variables of the container, in the short form.
	EnvFrom []map[string]any `json:"envFrom"`
	// Resources of the container, in the short form.
	Resources map[string]any `json:"resources"`
	// Security context of the container, in the short form.
	SecurityContext map[string]any `json:"securityContext"`
	// How long a hook may take, over all its tries.
	Timeout string `json:"timeout" check:"duration" default:"10m"`
	// How often a hook is tried again at one deploy.
	Retries *int `json:"retries" check:"natural" default:"3"`
	// What a failed hook does to the deploy.
	OnFailure string `json:"onFailure" enum:"OnFailures" default:"stop"`
	// When a hook runs again.
	Run string `json:"run" enum:"Runs" default:"on-change"`
	// With run every: how long after its last run a hook is due.
	Interval string `json:"interval" check:"duration"`
	// Image with sh for the init container that holds a hook back when it is not its turn.
	GuardImage string `json:"guardImage"`
	// Whose logs kapp deploy shows.
	DeployLogs string `json:"deployLogs" enum:"DeployLogs" default:"for-new"`
}

// Hook is something that runs at an event of the app's life.
type Hook struct {
	// Name of the hook, unique in the Lifecycle: lower case letters, digits and dashes.
	Name string `json:"name" check:"required,label"`
	// When it runs: pre- events before the app's workloads, post- events after them.
	Events []string `json:"events" check:"required" enum:"AllEvents"`
	// Image of its container: the short form.
	Image string `json:"image"`
	// Command of its container, instead of the image's entrypoint.
	Command []string `json:"command"`
	// Arguments of its container.
	Args []string `json:"args"`
	// Environment variables of its container.
	Env []map[string]any `json:"env"`
	// Sources of environment variables of its container.
	EnvFrom []map[string]any `json:"envFrom"`
	// Resources of its container.
	Resources map[string]any `json:"resources"`
	// Security context of its container.
	SecurityContext map[string]any `json:"securityContext"`
	// Volumes of its pod.
	Volumes []map[string]any `json:"volumes"`
	// Where its container mounts them.
	VolumeMounts []map[string]any `json:"volumeMounts"`
	// ServiceAccount of its pod.
	ServiceAccountName string `json:"serviceAccountName"`
	// Secrets to pull its image with.
	ImagePullSecrets []map[string]any `json:"imagePullSecrets"`
	// Where it runs; default is the Lifecycle's namespace.
	Namespace string `json:"namespace" check:"label"`
	// Instead of the short form: a whole PodTemplateSpec.
	Template map[string]any `json:"template"`
	// Instead of either: a Job or Pod of the app's own manifests, which becomes the hook.
	From *Selector `json:"from" kinds:"FromKinds"`
	// When it runs again: when something changed, once, at every deploy, or every interval.
	Run string `json:"run" enum:"Runs" default:"on-change"`
	// With run every: how long after its last run it is due.
	Interval string `json:"interval" check:"duration"`
	// Lower runs first; hooks of one weight run side by side.
	Weight *int `json:"weight" check:"integer" default:"0"`
	// How long it may take, over all its tries.
	Timeout string `json:"timeout" check:"duration" default:"10m"`
	// How often it is tried again at one deploy.
	Retries *int `json:"retries" check:"natural" default:"3"`
	// What its failure does to the deploy.
	OnFailure string `json:"onFailure" enum:"OnFailures" default:"stop"`
	// Of a pre hook: hold back only these workloads. Of a post hook: run before these.
	Before []Selector `json:"before"`
	// Of a pre hook: let these workloads go first. Of a post hook: wait only for these.
	After []Selector `json:"after"`
	// What run on-change watches; default is the whole app.
	Triggers []Selector `json:"triggers"`
	// How it is held back where it is only for an install or only for an upgrade: by a line of shell before its command, or by an init container.
	Guard string `json:"guard" enum:"Guards" default:"auto"`
	// Image with sh for that init container.
	GuardImage string `json:"guardImage"`
	// Whose logs kapp deploy shows.
	DeployLogs string `json:"deployLogs" enum:"DeployLogs" default:"for-new"`
}

// Selector means resources of the app: all that have what it says.
type Selector struct {
	// The apiVersion, such as apps/v1.
	APIVersion string `json:"apiVersion"`
	// The kind, such as Deployment.
	Kind string `json:"kind" check:"required"`
	// The name; without it, all of the kind.
	Name string `json:"name"`
	// The namespace; without it, in any.
	Namespace string `json:"namespace"`
}
