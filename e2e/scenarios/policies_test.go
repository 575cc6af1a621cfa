package scenarios

import (
	"fmt"
	"testing"
	"time"
)

func TestInstallSameAgainUpgrade(t *testing.T) {
	_, app := start(t)
	hooks := []string{
		hook("migrate", "pre-deploy", "", "echo $LIFECYCLE_REVISION"),
		hook("configure", "post-deploy", "run: always", "echo ok"),
		hook("bootstrap", "pre-deploy", "run: once, weight: -1", "echo ok"),
	}
	d := app.Deploy(t, shop("1", hooks...)).OK(t)
	d.Timeline.Order(t, "ConfigMap/settings created", "Job/shop-bootstrap ended", "Job/shop-migrate started", "Job/shop-migrate succeeded",
		"Deployment/api created", "Deployment/api ready", "Job/shop-configure started", "Job/shop-configure succeeded", "ConfigMap/shop-revision-ver-1 created")
	if got := outputs(d.Timeline, "Job/shop-migrate"); len(got) != 1 || got[0] != "shop-revision-ver-1" {
		t.Errorf("migrate printed %q", got)
	}

	again := app.Deploy(t, shop("1", hooks...)).OK(t)
	ran(t, again.Timeline, map[string]int{"Job/shop-migrate": 0, "Job/shop-bootstrap": 0, "Job/shop-configure": 1})
	again.Timeline.Never(t, "Deployment/api updated")
	again.Timeline.Never(t, "Job/shop-migrate deleted")

	up := app.Deploy(t, shop("2", hooks...)).OK(t)
	ran(t, up.Timeline, map[string]int{"Job/shop-migrate": 1, "Job/shop-bootstrap": 0, "Job/shop-configure": 1})
	up.Timeline.Order(t, "Job/shop-migrate succeeded", "Deployment/api updated", "Job/shop-configure started", "ConfigMap/shop-revision-ver-2 created")
}

func TestInstallOnlyAndUpgradeOnly(t *testing.T) {
	for _, form := range []string{"shell", "init"} {
		t.Run(form, func(t *testing.T) {
			ns, app := start(t)
			hooks := func(script string) []string {
				return []string{
					hook("check", "pre-deploy", "weight: -5", script),
					hook("in", "pre-install", "run: always, guard: "+form, "echo installs"),
					hook("up", "post-upgrade", "run: always, guard: "+form, "echo upgrades"),
					hook("first", "post-upgrade", "run: once, guard: "+form, "echo upgrades"),
				}
			}
			// An install that fails, also at the second try, is still one.
			failed := app.Deploy(t, shop("1", hooks("exit 1")...)).Fails(t, "shop-check")
			ran(t, failed.Timeline, map[string]int{"Job/shop-in": 0, "Job/shop-up": 0})
			late := append(hooks("true"), hook("stop", "post-deploy", "weight: 9", "exit 1"))
			half := app.Deploy(t, shop("1", late...)).Fails(t, "shop-stop")
			ran(t, half.Timeline, map[string]int{"Job/shop-in": 1, "Job/shop-up": 0, "Job/shop-first": 0})
			d := app.Deploy(t, shop("1", hooks("true")...)).OK(t)
			ran(t, d.Timeline, map[string]int{"Job/shop-in": 1, "Job/shop-up": 0, "Job/shop-first": 0})

			// The same once more is an upgrade: the app is there.
			same := app.Deploy(t, shop("1", hooks("true")...)).OK(t)
			ran(t, same.Timeline, map[string]int{"Job/shop-in": 0, "Job/shop-up": 1, "Job/shop-first": 0})
			up := app.Deploy(t, shop("2", hooks("true")...)).OK(t)
			ran(t, up.Timeline, map[string]int{"Job/shop-in": 0, "Job/shop-up": 1, "Job/shop-first": 1})
			third := app.Deploy(t, shop("3", hooks("true")...)).OK(t)
			ran(t, third.Timeline, map[string]int{"Job/shop-in": 0, "Job/shop-up": 1, "Job/shop-first": 0})
			_ = ns
		})
	}
}

func TestGoingBackAfterAFailedUpgradeIsNoInstall(t *testing.T) {
	_, app := start(t)
	in := hook("in", "pre-install", "", "echo installs")
	app.Deploy(t, shop("1", in)).OK(t)
	app.Deploy(t, shop("2", in, hook("check", "pre-deploy", "", "exit 1"))).Fails(t, "shop-check")
	back := app.Deploy(t, shop("1", in)).OK(t)
	ran(t, back.Timeline, map[string]int{"Job/shop-in": 0})
}

func TestOnceStaysOnce(t *testing.T) {
	ns, app := start(t)
	once := hook("bootstrap", "pre-deploy", "run: once", "echo ok")
	for i := range 10 {
		app.Deploy(t, shop(fmt.Sprint(i), once)).OK(t)
		if i == 4 {
			deletePods(t, ns, "bootstrap")
		}
	}
	ran(t, ns.Timeline(t), map[string]int{"Job/shop-bootstrap": 1})
}

func TestEvery(t *testing.T) {
	_, app := start(t)
	const interval = 15 * time.Second
	every := hook("warm", "post-deploy", "run: every, interval: 15s", "echo ok")
	first := app.Deploy(t, shop("1", every)).OK(t)
	ran(t, first.Timeline, map[string]int{"Job/shop-warm": 1})
	soon := app.Deploy(t, shop("2", every)).OK(t)
	if soon.End.Sub(first.Start) < interval {
		ran(t, soon.Timeline, map[string]int{"Job/shop-warm": 0})
	} else {
		t.Log("the machine is too busy to see that the hook is not due yet")
	}
	time.Sleep(interval)
	due := app.Deploy(t, shop("2", every)).OK(t)
	ran(t, due.Timeline, map[string]int{"Job/shop-warm": 1})
}

func TestTriggers(t *testing.T) {
	_, app := start(t)
	hooks := []string{hook("migrate", "pre-deploy", "triggers: [{kind: Deployment, name: api}]", "echo ok")}
	app.Deploy(t, shopWith("1", deployment("other", "1"), hooks...)).OK(t)
	unrelated := app.Deploy(t, shopWith("1", deployment("other", "2"), hooks...)).OK(t)
	ran(t, unrelated.Timeline, map[string]int{"Job/shop-migrate": 0})
	unrelated.Timeline.Happened(t, "Deployment/other updated")
	watched := app.Deploy(t, shopWith("2", deployment("other", "2"), hooks...)).OK(t)
	ran(t, watched.Timeline, map[string]int{"Job/shop-migrate": 1})
	watched.Timeline.Before(t, "Job/shop-migrate ended", "Deployment/api updated")
}
