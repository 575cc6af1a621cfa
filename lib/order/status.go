package order

import ctlres "carvel.dev/kapp/pkg/kapp/resources"

// Healthy gives the status with which kapp takes a resource for ready (pkg/kapp/resourcesmisc): Jobs are complete. It is nil
// where kapp looks at no status.
func Healthy(res ctlres.Resource) map[string]any {
	generation := metadataOf(res)["generation"]
	count := replicas(res)
	switch res.APIGroup() + " " + res.Kind() {
	case "batch Job":
		return JobComplete()
	case "apps Deployment":
		return map[string]any{"observedGeneration": generation, "readyReplicas": count}
	case "apps StatefulSet":
		return map[string]any{"observedGeneration": generation, "replicas": count, "readyReplicas": count, "updatedReplicas": count}
	case "apps DaemonSet", "kappctrl.k14s.io App", "packaging.carvel.dev PackageInstall", "packaging.carvel.dev PackageRepository":
		return map[string]any{"observedGeneration": generation}
	case " Pod":
		return withConditions(map[string]any{"phase": "Running"}, isTrue("Initialized"), isTrue("Ready"), isTrue("PodScheduled"))
	case " Service":
		return map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"ip": "192.0.2.1"}}}}
	case "apiextensions.k8s.io CustomResourceDefinition":
		return withConditions(map[string]any{}, isTrue("Established"), isTrue("NamesAccepted"))
	case "apiregistration.k8s.io APIService":
		return withConditions(map[string]any{}, isTrue("Available"))
	}
	return nil
}

// JobComplete is the status of a Job that has succeeded.
func JobComplete() map[string]any {
	return withConditions(map[string]any{"succeeded": int64(1)}, isTrue("SuccessCriteriaMet"), isTrue("Complete"))
}

// JobFailed is the status of a Job that has used up its retries.
func JobFailed() map[string]any {
	return failed("BackoffLimitExceeded", "Job has reached the specified backoff limit")
}

// JobSkipped is the status of a Job that its guard container has ended, since it was not the hook's turn
// (Kubernetes, pkg/controller/job/pod_failure_policy.go).
func JobSkipped() map[string]any {
	return failed("PodFailurePolicy", "Container guard for pod default/hook-x7x2p failed with exit code 42 matching FailJob rule at index 0")
}

// JobRunning is the status of a Job that has a pod at work.
func JobRunning() map[string]any {
	return map[string]any{"active": int64(1), "startTime": "2025-01-01T00:00:00Z"}
}

// JobSuspended is the status of a Job that was suspended.
func JobSuspended() map[string]any {
	return withConditions(map[string]any{}, isTrue("Suspended"))
}

func failed(reason, message string) map[string]any {
	// The controller says first that the Job is going to fail, and then that it has.
	target, final := isTrue("FailureTarget"), isTrue("Failed")
	for _, condition := range []map[string]any{target, final} {
		condition["reason"] = reason
		condition["message"] = message
	}
	return withConditions(map[string]any{"failed": int64(1)}, target, final)
}

func isTrue(condition string) map[string]any {
	return map[string]any{"type": condition, "status": "True"}
}

func withConditions(status map[string]any, conditions ...map[string]any) map[string]any {
	list := make([]any, len(conditions))
	for i, condition := range conditions {
		list[i] = condition
	}
	status["conditions"] = list
	return status
}
