package order

import ctlres "carvel.dev/kapp/pkg/kapp/resources"

// complete fills in some of what the API server fills in: what kapp's own waiting needs, and for a Job enough of it that
// a Job in the cluster never equals the one that was applied.
func complete(res ctlres.Resource) {
	spec, ok := res.UnstructuredObject()["spec"].(map[string]any)
	if !ok {
		return
	}
	switch res.APIVersion() + " " + res.Kind() {
	case "apps/v1 Deployment", "apps/v1 StatefulSet":
		fill(spec, "replicas", int64(1))
	case "v1 Service":
		if spec["type"] != "ExternalName" {
			fill(spec, "clusterIP", "10.0.0.1")
		}
		fill(spec, "type", "ClusterIP")
	case "batch/v1 Job":
		completeJob(res, spec)
	}
}

// completeJob follows pkg/apis/batch/v1/defaults.go and pkg/registry/batch/job/strategy.go of Kubernetes.
func completeJob(res ctlres.Resource, spec map[string]any) {
	fill(spec, "backoffLimit", int64(6))
	fill(spec, "completionMode", "NonIndexed")
	fill(spec, "completions", int64(1))
	fill(spec, "parallelism", int64(1))
	fill(spec, "suspend", false)
	if spec["podFailurePolicy"] != nil {
		fill(spec, "podReplacementPolicy", "Failed")
	} else {
		fill(spec, "podReplacementPolicy", "TerminatingOrFailed")
	}
	fill(spec, "selector", map[string]any{"matchLabels": map[string]any{"batch.kubernetes.io/controller-uid": res.UID()}})

	template := child(spec, "template")
	labels := child(child(template, "metadata"), "labels")
	for name, value := range map[string]any{
		"batch.kubernetes.io/controller-uid": res.UID(), "controller-uid": res.UID(),
		"batch.kubernetes.io/job-name": res.Name(), "job-name": res.Name(),
	} {
		fill(labels, name, value)
	}
	pod := child(template, "spec")
	fill(pod, "dnsPolicy", "ClusterFirst")
	fill(pod, "schedulerName", "default-scheduler")
	fill(pod, "securityContext", map[string]any{})
	fill(pod, "terminationGracePeriodSeconds", int64(30))
	for _, list := range []string{"containers", "initContainers"} {
		containers, _ := pod[list].([]any)
		for _, container := range containers {
			if container, ok := container.(map[string]any); ok {
				fill(container, "imagePullPolicy", "IfNotPresent")
				fill(container, "resources", map[string]any{})
				fill(container, "terminationMessagePath", "/dev/termination-log")
				fill(container, "terminationMessagePolicy", "File")
			}
		}
	}
}

func fill(object map[string]any, name string, value any) {
	if object[name] == nil {
		object[name] = value
	}
}

// child gives the mapping at a name, which is made where there is none.
func child(object map[string]any, name string) map[string]any {
	value, ok := object[name].(map[string]any)
	if !ok {
		value = map[string]any{}
		object[name] = value
	}
	return value
}

// replicas gives what spec.replicas says, 1 where it says nothing.
func replicas(res ctlres.Resource) int64 {
	spec, _ := res.UnstructuredObject()["spec"].(map[string]any)
	switch count := spec["replicas"].(type) {
	case int64:
		return count
	case float64:
		return int64(count)
	}
	return 1
}
