package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/build"
	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/controlplane"
	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/node"
	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/timeline"
)

// Cluster is a control plane with a node that runs pods, a recorder that sees all, and the programs to deploy with.
type Cluster struct {
	Plane    *controlplane.ControlPlane
	Node     *node.Node
	Recorder *timeline.Recorder
	Client   kubernetes.Interface
	Dynamic  dynamic.Interface

	builder *build.Builder
	dir     *tempDir
	kapp    string
	product func() (string, error)
	nodeLog *os.File
}

// Open builds what is not built yet, which it tells on log, and starts a cluster. Close ends it.
func Open(ctx context.Context, log io.Writer) (_ *Cluster, err error) {
	c := &Cluster{}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if c.builder, err = build.New(log); err != nil {
		return c, err
	}
	if c.kapp, err = c.builder.Cached(ctx, build.Kapp); err != nil {
		return c, err
	}
	kube, err := c.builder.Cached(ctx, build.Kube)
	if err != nil {
		return c, err
	}
	if c.dir, err = newTempDir(); err != nil {
		return c, err
	}
	// A later test may be the first to need the product, when this context has ended.
	c.product = sync.OnceValues(func() (string, error) {
		path := filepath.Join(c.bin(), build.Product.Name)
		return path, c.builder.Build(context.WithoutCancel(ctx), build.Product, path)
	})
	if err := os.MkdirAll(c.bin(), 0o755); err != nil {
		return c, err
	}
	// Pods find kapp beside the product.
	if err := os.Symlink(c.kapp, filepath.Join(c.bin(), "kapp")); err != nil {
		return c, err
	}
	if c.Plane, err = controlplane.Start(ctx, controlplane.Options{Binary: kube, Dir: filepath.Join(c.dir.path, "plane")}); err != nil {
		return c, err
	}
	return c, c.connect(ctx)
}

// connect starts what talks to the control plane.
func (c *Cluster) connect(ctx context.Context) (err error) {
	if c.Client, err = kubernetes.NewForConfig(c.Plane.Config); err != nil {
		return err
	}
	if c.Dynamic, err = dynamic.NewForConfig(c.Plane.Config); err != nil {
		return err
	}
	if c.nodeLog, err = os.Create(filepath.Join(c.Plane.LogDir, "node.log")); err != nil {
		return err
	}
	// client-go's own complaints (a watch of a resource that has just gone) would appear between the tests' lines.
	klog.LogToStderr(false)
	klog.SetOutput(c.nodeLog)
	if c.Recorder, err = timeline.Start(ctx, c.Plane.Config); err != nil {
		return err
	}
	c.Node, err = node.Start(ctx, node.Options{
		Config: c.Plane.Config, Dir: filepath.Join(c.dir.path, "node"), Path: []string{c.bin()},
		Host: c.Plane.Host, Port: c.Plane.Port, CAFile: c.Plane.CAFile, Cert: c.Plane.NodeServing.Cert, Key: c.Plane.NodeServing.Key,
		Tell: c.Recorder.Process, Log: c.nodeLog,
	})
	return err
}

func (c *Cluster) bin() string { return filepath.Join(c.dir.path, "bin") }

// ProductPath builds kapp-lifecycle from the repository, once, and gives the path of the binary.
func (c *Cluster) ProductPath() (string, error) { return c.product() }

// KeepLogs copies what the components have logged to a folder that outlives the cluster, and gives its path.
func (c *Cluster) KeepLogs() (string, error) {
	kept := filepath.Join(c.builder.CacheDir(), "logs", filepath.Base(c.dir.path))
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return "", err
	}
	return kept, os.CopyFS(kept, os.DirFS(c.Plane.LogDir))
}

// Close ends all processes and removes the cluster's folder.
func (c *Cluster) Close() error {
	if c.Node != nil {
		c.Node.Stop()
	}
	if c.Recorder != nil {
		c.Recorder.Stop()
	}
	if c.Plane != nil {
		c.Plane.Stop()
	}
	if c.nodeLog != nil {
		c.nodeLog.Close()
	}
	if c.dir != nil {
		if err := c.dir.remove(); err != nil {
			return fmt.Errorf("removing the cluster's folder: %w", err)
		}
	}
	return nil
}
