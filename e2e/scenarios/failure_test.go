package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/harness"
)

// flaky fails until the gate is open.
func flaky(gate *harness.Gate) string { return gate.Check() }

func TestFailedPreHookStopsAndIsTriedAgain(t *testing.T) {
	_, app := start(t)
	gate := harness.NewGate(t)
	files := shop("1", hook("migrate", "pre-deploy", "", flaky(gate)))
	failed := app.Deploy(t, files).Fails(t, "shop-migrate")
	failed.Timeline.Never(t, "Deployment/api created")
	gate.Open()
	d := app.Deploy(t, files).OK(t)
	ran(t, d.Timeline, map[string]int{"Job/shop-migrate": 1})
	d.Timeline.Order(t, "Job/shop-migrate succeeded", "Deployment/api created")
}

func TestFailedPostHookIsTriedAgain(t *testing.T) {
	_, app := start(t)
	gate := harness.NewGate(t)
	files := shop("1", hook("configure", "post-deploy", "", flaky(gate)))
	failed := app.Deploy(t, files).Fails(t, "shop-configure")
	failed.Timeline.Order(t, "Deployment/api ready", "Job/shop-configure failed")
	failed.Timeline.Never(t, "ConfigMap/shop-revision-ver-1 created")
	gate.Open()
	d := app.Deploy(t, files).OK(t)
	ran(t, d.Timeline, map[string]int{"Job/shop-configure": 1})
	d.Timeline.Never(t, "Deployment/api updated")
}

func TestOnFailureContinue(t *testing.T) {
	_, app := start(t)
	files := shop("1", hook("warm", "pre-deploy", "onFailure: continue", "exit 3"), hook("notify", "post-deploy", "onFailure: continue", "exit 4"))
	d := app.Deploy(t, files).OK(t)
	d.Timeline.Order(t, "Job/shop-warm failed", "Deployment/api created", "Deployment/api ready", "Job/shop-notify failed", "ConfigMap/shop-revision-ver-1 created")
	again := app.Deploy(t, files).OK(t)
	ran(t, again.Timeline, map[string]int{"Job/shop-warm": 1, "Job/shop-notify": 1})
}

func TestRunningHookIsNeitherKilledNorOvertaken(t *testing.T) {
	for _, run := range []string{"on-change", "once", "always"} {
		t.Run(run, func(t *testing.T) {
			ns, app := start(t)
			gate := harness.NewGate(t)
			slow := hook("migrate", "pre-deploy", "run: "+run, gate.Pass())
			app.Deploy(t, shop("1", slow), "--wait-timeout", "2s").Fails(t, "Timed out waiting")
			second := app.StartDeploy(t, shop("1", slow))
			ns.Await(t, "Job/shop-migrate touched")
			time.Sleep(500 * time.Millisecond)
			gate.Open()
			d := second.Wait(t).OK(t)
			d.Timeline.Never(t, "Job/shop-migrate deleted")
			d.Timeline.Order(t, "Job/shop-migrate succeeded", "Deployment/api created")
			ran(t, ns.Timeline(t), map[string]int{"Job/shop-migrate": 1})
		})
	}
}

func TestRunningHookOfOtherContent(t *testing.T) {
	for run, replaced := range map[string]bool{"on-change": true, "always": true, "once": false} {
		t.Run(run, func(t *testing.T) {
			ns, app := start(t)
			gate := harness.NewGate(t)
			slow := hook("migrate", "pre-deploy", "run: "+run, gate.Pass())
			app.Deploy(t, shop("1", slow), "--wait-timeout", "2s").Fails(t, "Timed out waiting")
			second := app.StartDeploy(t, shop("2", slow))
			if replaced {
				ns.Await(t, "Job/shop-migrate deleted")
			} else {
				ns.Await(t, "Job/shop-migrate touched")
			}
			time.Sleep(500 * time.Millisecond)
			gate.Open()
			d := second.Wait(t).OK(t)
			d.Timeline.Order(t, "Job/shop-migrate succeeded", "Deployment/api created")
			if !replaced {
				d.Timeline.Never(t, "Job/shop-migrate deleted")
			}
		})
	}
}

func TestWeightsBeforeAndAfter(t *testing.T) {
	_, app := start(t)
	database := `apiVersion: v1
kind: Service
metadata: {name: db, namespace: "${NS}"}
spec: {selector: {app: db}, ports: [{port: 5432}]}
---
` + deployment("db", "1") + deployment("web", "1")
	d := app.Deploy(t, shopWith("1", database,
		hook("first", "pre-deploy", "weight: -5", "echo ok"),
		hook("left", "pre-deploy", "", "sleep 0.3"), hook("right", "pre-deploy", "", "sleep 0.3"),
		hook("seed", "pre-deploy", "weight: 5, after: [{kind: Deployment, name: db}]", "echo ok"),
		hook("gate", "pre-deploy", "weight: 9, before: [{kind: Deployment, name: web}]", "sleep 0.3"),
		hook("soon", "post-deploy", "after: [{kind: Deployment, name: api}]", "echo ok"),
		hook("last", "post-deploy", "weight: 5", "echo ok"))).OK(t)
	tl := d.Timeline
	tl.Order(t, "Job/shop-first succeeded", "Job/shop-left started", "Job/shop-left succeeded", "Deployment/db created", "Deployment/db ready", "Job/shop-seed started", "Job/shop-seed succeeded", "Deployment/api created")
	tl.Order(t, "Service/db created", "Job/shop-seed started")
	tl.Order(t, "Job/shop-gate succeeded", "Deployment/web created", "Deployment/web ready", "Job/shop-last started")
	tl.Order(t, "Deployment/api ready", "Job/shop-soon started", "Job/shop-soon succeeded", "Job/shop-last started")
	tl.Before(t, "Job/shop-right created", "Job/shop-left succeeded")
}

// TestKilled: kapp is killed at five moments, and the next deploy ends well.
func TestKilled(t *testing.T) {
	for _, moment := range []string{"ConfigMap/settings created", "Job/shop-migrate created", "Job/shop-migrate started", "Deployment/api created", "Job/shop-configure started"} {
		t.Run(strings.NewReplacer("/", " ").Replace(moment), func(t *testing.T) {
			ns, app := start(t)
			files := shop("1", hook("migrate", "pre-deploy", "", "sleep 0.5"), hook("configure", "post-deploy", "", "sleep 0.5"))
			first := app.StartDeploy(t, files)
			ns.Await(t, moment)
			first.Kill()
			first.Wait(t)
			app.Deploy(t, files).OK(t)
			tl := ns.Timeline(t)
			tl.Order(t, "Job/shop-migrate succeeded", "Deployment/api created")
			tl.Order(t, "Deployment/api ready", "Job/shop-configure succeeded", "ConfigMap/shop-revision-ver-1 created")
			ran(t, tl, map[string]int{"Job/shop-migrate": 1, "Job/shop-configure": 1})
		})
	}
}

func TestManyResourcesAndHooks(t *testing.T) {
	_, app := start(t)
	var more strings.Builder
	for i := range 280 {
		fmt.Fprintf(&more, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d, namespace: \"${NS}\"}\n---\n", i)
	}
	for i := range 20 {
		more.WriteString(deployment(fmt.Sprintf("w%d", i), "1"))
	}
	var hooks []string
	for i := range 10 {
		hooks = append(hooks, hook(fmt.Sprintf("pre%d", i), "pre-deploy", fmt.Sprintf("weight: %d", i/5), "echo ok"),
			hook(fmt.Sprintf("post%d", i), "post-deploy", fmt.Sprintf("weight: %d", i/5), "echo ok"))
	}
	began := time.Now()
	d := app.Deploy(t, shopWith("1", more.String(), hooks...)).OK(t)
	t.Logf("300 resources and 20 hooks took %s", time.Since(began).Round(time.Second))
	for i := range 10 {
		d.Timeline.Before(t, fmt.Sprintf("Job/shop-pre%d succeeded", i), "Deployment/w7 created")
		d.Timeline.Before(t, "Deployment/w7 ready", fmt.Sprintf("Job/shop-post%d started", i))
	}
	again := app.Deploy(t, shopWith("1", more.String(), hooks...)).OK(t)
	again.Timeline.Never(t, "Job/* created")
}
