package harness

import (
	"os"
)

// always are flags for every change by kapp. It is to tell its progress, which it does on a terminal only, and to look
// more often than every 3 s, for which tests would wait.
var always = []string{"--yes", "--tty", "--color=false", "--wait-check-interval=200ms", "--apply-check-interval=100ms"}

// StartKapp starts kapp against this cluster, as its admin.
func (c *Cluster) StartKapp(stdin string, args ...string) (*Process, error) {
	return start("kapp", c.kapp, stdin, "", c.env(), args...)
}

// StartLifecycle starts kapp-lifecycle in a folder.
func (c *Cluster) StartLifecycle(dir, stdin string, args ...string) (*Process, error) {
	path, err := c.ProductPath()
	if err != nil {
		return nil, err
	}
	return start("kapp-lifecycle", path, stdin, dir, c.env(), args...)
}

// Deploy is the command line of a deployment of YAML on stdin, for StartKapp. Further flags come last, and win.
func Deploy(app, namespace string, flags ...string) []string {
	args := []string{"deploy", "-a", app, "-n", namespace, "-f", "-"}
	return append(append(args, always...), flags...)
}

// Delete is the command line of the app's deletion.
func Delete(app, namespace string, flags ...string) []string {
	args := []string{"delete", "-a", app, "-n", namespace}
	return append(append(args, always...), flags...)
}

// env is the environment for a client of this cluster; the user's own kubeconfig must not be touched by accident.
func (c *Cluster) env() []string {
	return append(os.Environ(), "KUBECONFIG="+c.Plane.Kubeconfig, "HOME="+c.dir.path)
}
