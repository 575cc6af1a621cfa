package harness

import (
	"testing"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/timeline"
)

// App is a kapp app in a namespace.
type App struct {
	Name string
	ns   *Namespace
}

// App names an app; nothing is deployed yet.
func (ns *Namespace) App(name string) *App { return &App{Name: name, ns: ns} }

// Deployment is a deployment that has ended, well or not.
type Deployment struct {
	Result
	Rendered string            // what kapp was given
	Timeline timeline.Timeline // what happened in the namespace while it ran
}

// OK fails the test at once, with the timeline, unless the deployment succeeded.
func (d Deployment) OK(t testing.TB) Deployment {
	t.Helper()
	if d.Code != 0 {
		t.Fatalf("%s\n%s", d.Result, d.Timeline)
	}
	return d
}

// Fails fails the test at once, with the timeline, if the deployment succeeded or did not say each of the words.
func (d Deployment) Fails(t testing.TB, words ...string) Deployment {
	t.Helper()
	if d.Code == 0 {
		t.Fatalf("it was to fail:\n%s\n%s", d.Result, d.Timeline)
	}
	d.Result.Says(t, words...)
	return d
}

// Deploy renders the files of a txtar text with kapp-lifecycle and deploys the outcome with kapp, to the end.
func (a *App) Deploy(t testing.TB, files string, kappFlags ...string) Deployment {
	t.Helper()
	return a.StartDeploy(t, files, kappFlags...).Wait(t)
}

// DeployYAML deploys YAML as it is, without kapp-lifecycle.
func (a *App) DeployYAML(t testing.TB, yaml string, kappFlags ...string) Deployment {
	t.Helper()
	return a.StartYAML(t, yaml, kappFlags...).Wait(t)
}

// Delete deletes the app with kapp.
func (a *App) Delete(t testing.TB, kappFlags ...string) Deployment {
	t.Helper()
	p, err := a.ns.StartKapp("", Delete(a.Name, a.ns.Name, kappFlags...)...)
	if err != nil {
		t.Fatal(err)
	}
	return (&Deploying{Process: p, app: a}).Wait(t)
}

// Deploying is a deployment that runs.
type Deploying struct {
	*Process
	Rendered string
	app      *App
}

// StartDeploy is Deploy for a test that does something meanwhile, such as Kill.
func (a *App) StartDeploy(t testing.TB, files string, kappFlags ...string) *Deploying {
	t.Helper()
	return a.StartYAML(t, a.Render(t, files), kappFlags...)
}

// Render renders the files of a txtar text with kapp-lifecycle.
func (a *App) Render(t testing.TB, files string) string {
	t.Helper()
	return a.ns.Harness.Render(t, a.ns.Text(files)).OK(t).Stdout
}

// StartYAML is DeployYAML for a test that does something meanwhile.
func (a *App) StartYAML(t testing.TB, yaml string, kappFlags ...string) *Deploying {
	t.Helper()
	yaml = a.ns.Text(yaml)
	p, err := a.ns.StartKapp(yaml, Deploy(a.Name, a.ns.Name, kappFlags...)...)
	if err != nil {
		t.Fatal(err)
	}
	return &Deploying{Process: p, Rendered: yaml, app: a}
}

// Wait waits until kapp has ended.
func (d *Deploying) Wait(t testing.TB) Deployment {
	t.Helper()
	result := d.Process.Wait()
	return Deployment{Result: result, Rendered: d.Rendered, Timeline: d.app.ns.Since(t, result.Start)}
}
