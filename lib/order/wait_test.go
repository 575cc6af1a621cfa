package order

import (
	"strings"
	"testing"

	ctlresm "carvel.dev/kapp/pkg/kapp/resourcesmisc"
	"github.com/google/go-cmp/cmp"
)

const (
	backoff = "{type: Failed, status: 'True', reason: BackoffLimitExceeded, message: Job has reached the specified backoff limit}"
	skip    = "{type: Failed, status: 'True', reason: PodFailurePolicy, message: Container guard for pod ns/migrate-x failed with exit code 42 matching FailJob rule at index 0}"
)

func TestWaitRule(t *testing.T) {
	waiting := ctlresm.DoneApplyState{Message: "Waiting to complete (0 active, 0 failed, 0 succeeded)"}
	failed := ctlresm.DoneApplyState{Done: true, Message: "Failed with reason BackoffLimitExceeded: Job has reached the specified backoff limit"}
	ok := func(message string) ctlresm.DoneApplyState {
		return ctlresm.DoneApplyState{Done: true, Successful: true, Message: message}
	}
	goesOn := ok("Failed, and the deploy goes on (onFailure: continue): BackoffLimitExceeded: Job has reached the specified backoff limit")
	policy := func(message string) string {
		return "status: {conditions: [{type: Failed, status: 'True', reason: PodFailurePolicy, message: " + message + "}]}"
	}
	other := func(message string) ctlresm.DoneApplyState {
		return ctlresm.DoneApplyState{Done: true, Message: "Failed with reason PodFailurePolicy: " + message}
	}

	for _, tc := range []struct {
		name               string
		guard, onFailure   string
		job                string
		want               ctlresm.DoneApplyState
		asKappsOwnRuleDoes bool
	}{
		{"complete", "install", "", "status: {succeeded: 1, conditions: [{type: SuccessCriteriaMet, status: 'True'}, {type: Complete, status: 'True'}]}", ok("Completed"), true},
		{"complete, may fail", "", "continue", "status: {conditions: [{type: Complete, status: 'True'}]}", ok("Completed"), true},
		{"failed", "install", "", "status: {conditions: [" + backoff + "]}", failed, true},
		{"failed, may fail", "", "continue", "status: {conditions: [" + backoff + "]}", goesOn, false},
		{"failed, may fail, guarded", "upgrade", "continue", "status: {conditions: [" + backoff + "]}", goesOn, false},
		{"unknown onFailure", "", "explode", "status: {conditions: [" + backoff + "]}", failed, true},
		{"skipped", "upgrade", "", "status: {conditions: [" + skip + "]}", ok("Skipped: not its turn"), false},
		{"skipped, may fail", "upgrade", "continue", "status: {conditions: [" + skip + "]}", ok("Skipped: not its turn"), false},
		{"a guard of another's", "", "continue", "status: {conditions: [" + skip + "]}",
			ok("Failed, and the deploy goes on (onFailure: continue): PodFailurePolicy: Container guard for pod ns/migrate-x failed with exit code 42 matching FailJob rule at index 0"), false},
		{"the guard with another code", "install", "", policy("Container guard for pod ns/x failed with exit code 142 matching FailJob rule at index 0"),
			other("Container guard for pod ns/x failed with exit code 142 matching FailJob rule at index 0"), true},
		{"the guard with code 4", "install", "", policy("Container guard for pod ns/x failed with exit code 4 matching FailJob rule at index 42"),
			other("Container guard for pod ns/x failed with exit code 4 matching FailJob rule at index 42"), true},
		{"another container with that code", "install", "", policy("Container main for pod ns/guard failed with exit code 42 matching FailJob rule at index 0"),
			other("Container main for pod ns/guard failed with exit code 42 matching FailJob rule at index 0"), true},
		{"the guard's words for another reason", "install", "", strings.Replace("status: {conditions: ["+skip+"]}", "PodFailurePolicy", "DeadlineExceeded", 1),
			ctlresm.DoneApplyState{Done: true, Message: "Failed with reason DeadlineExceeded: Container guard for pod ns/migrate-x failed with exit code 42 matching FailJob rule at index 0"}, true},
		{"going to fail", "install", "", "status: {active: 1, conditions: [{type: FailureTarget, status: 'True', reason: PodFailurePolicy}]}",
			ctlresm.DoneApplyState{Message: "Waiting to complete (1 active, 0 failed, 0 succeeded)"}, true},
		{"running", "install", "", "status: {active: 2, failed: 1, succeeded: 3}", ctlresm.DoneApplyState{Message: "Waiting to complete (2 active, 1 failed, 3 succeeded)"}, true},
		{"suspended", "install", "", "status: {conditions: [{type: Suspended, status: 'True'}]}", waiting, true},
		{"not true", "install", "", "status: {conditions: [{type: Complete, status: 'False'}, {type: Failed, status: Unknown}]}", waiting, true},
		{"no status", "install", "", "", waiting, true},
		{"null status", "install", "", "status: null", waiting, true},
		{"empty status", "install", "", "status: {}", waiting, true},
		{"null conditions", "install", "", "status: {conditions: null, active: null}", waiting, true},
		{"no reason, no message", "install", "", "status: {conditions: [{type: Failed, status: 'True'}]}", ctlresm.DoneApplyState{Done: true, Message: "Failed with reason : "}, true},
		{"a message like YAML", "install", "", "status: {conditions: [{type: Failed, status: 'True', reason: R, message: \"a: [b\\n--- #@ c\"}]}",
			ctlresm.DoneApplyState{Done: true, Message: "Failed with reason R: a: [b\n--- #@ c"}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res := parse(t, "%s", "{apiVersion: batch/v1, kind: Job, metadata: {name: migrate, namespace: ns, annotations: {}}}")
			for name, value := range parse(t, "%s", "kind: Job\n"+tc.job).UnstructuredObject() {
				res.UnstructuredObject()[name] = value
			}
			annotations := child(metadataOf(res), "annotations")
			if tc.guard != "" {
				annotations["kapp-lifecycle.dev/guard"] = tc.guard
			}
			if tc.onFailure != "" {
				annotations["kapp-lifecycle.dev/on-failure"] = tc.onFailure
			}
			rule := ctlresm.NewCustomWaitingResource(res, mustRead(t, config(t)).conf.WaitRules())
			if rule == nil {
				t.Fatal("no wait rule matches the Job")
			}
			if diff := cmp.Diff(tc.want, rule.IsDoneApplying()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tc.want, ctlresm.NewBatchV1Job(res).IsDoneApplying()); (diff == "") != tc.asKappsOwnRuleDoes {
				t.Errorf("as kapp's own rule does: %t, want %t\n%s", diff == "", tc.asKappsOwnRuleDoes, diff)
			}
		})
	}
}

// kapp's own rule shows the pods that a Job waits for, so it stays in charge where ours has nothing to add.
func TestWaitRuleMatches(t *testing.T) {
	rules := mustRead(t, config(t)).conf.WaitRules()
	for _, tc := range []struct {
		annotation string
		want       bool
	}{
		{"kapp-lifecycle.dev/guard", true},
		{"kapp-lifecycle.dev/on-failure", true},
		{"kapp-lifecycle.dev/run", false},
	} {
		for kind, apiVersion := range map[string]string{"Job": "batch/v1", "Deployment": "apps/v1"} {
			res := parse(t, "{apiVersion: %s, kind: %s, metadata: {name: x, annotations: {%s: ''}}}", apiVersion, kind, tc.annotation)
			if got, want := ctlresm.NewCustomWaitingResource(res, rules) != nil, tc.want && kind == "Job"; got != want {
				t.Errorf("%s with %s: %t, want %t", kind, strings.TrimPrefix(tc.annotation, "kapp-lifecycle.dev/"), got, want)
			}
		}
	}
}
