package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
)

// fileTree is the content of a volume: relative path to content.
type fileTree map[string][]byte

// tokenSource makes tokens of a pod's ServiceAccount.
type tokenSource interface {
	Token(ctx context.Context, pod *corev1.Pod, projection *corev1.ServiceAccountTokenProjection) ([]byte, error)
}

// content gives the files of a volume whose content comes from the API server; ok is false for any other kind,
// which is a folder to write to.
func content(ctx context.Context, src source, tokens tokenSource, pod *corev1.Pod, v corev1.Volume) (files fileTree, ok bool, err error) {
	files = fileTree{}
	switch {
	case v.ConfigMap != nil:
		return files, true, files.configMap(ctx, src, pod, v.ConfigMap.Name, v.ConfigMap.Items, v.ConfigMap.Optional)
	case v.Secret != nil:
		return files, true, files.secret(ctx, src, pod, v.Secret.SecretName, v.Secret.Items, v.Secret.Optional)
	case v.DownwardAPI != nil:
		return files, true, files.downward(pod, v.DownwardAPI.Items)
	case v.Projected == nil:
		return nil, false, nil
	}
	for _, p := range v.Projected.Sources {
		switch {
		case p.ConfigMap != nil:
			err = files.configMap(ctx, src, pod, p.ConfigMap.Name, p.ConfigMap.Items, p.ConfigMap.Optional)
		case p.Secret != nil:
			err = files.secret(ctx, src, pod, p.Secret.Name, p.Secret.Items, p.Secret.Optional)
		case p.DownwardAPI != nil:
			err = files.downward(pod, p.DownwardAPI.Items)
		case p.ServiceAccountToken != nil:
			files[p.ServiceAccountToken.Path], err = tokens.Token(ctx, pod, p.ServiceAccountToken)
		default:
			err = fmt.Errorf("the test node does not know this source of the projected volume %s", v.Name)
		}
		if err != nil {
			return nil, true, err
		}
	}
	return files, true, nil
}

func (f fileTree) configMap(ctx context.Context, src source, pod *corev1.Pod, name string, items []corev1.KeyToPath, optional *bool) error {
	cm, err := src.ConfigMap(ctx, pod.Namespace, name)
	if err != nil {
		return unless(missing(err, optional), err)
	}
	data := map[string][]byte{}
	for k, v := range cm.BinaryData {
		data[k] = v
	}
	for k, v := range cm.Data {
		data[k] = []byte(v)
	}
	return f.add("configmap "+name, data, items, optional)
}

func (f fileTree) secret(ctx context.Context, src source, pod *corev1.Pod, name string, items []corev1.KeyToPath, optional *bool) error {
	secret, err := src.Secret(ctx, pod.Namespace, name)
	if err != nil {
		return unless(missing(err, optional), err)
	}
	return f.add("secret "+name, secret.Data, items, optional)
}

// add takes all keys, or those that items name.
func (f fileTree) add(what string, data map[string][]byte, items []corev1.KeyToPath, optional *bool) error {
	if len(items) == 0 {
		for k, v := range data {
			f[k] = v
		}
	}
	for _, item := range items {
		v, ok := data[item.Key]
		if !ok && !isTrue(optional) {
			return fmt.Errorf("%s references non-existent key: %s", what, item.Key)
		}
		if ok {
			f[item.Path] = v
		}
	}
	return nil
}

func (f fileTree) downward(pod *corev1.Pod, items []corev1.DownwardAPIVolumeFile) error {
	for _, item := range items {
		if item.FieldRef == nil {
			return fmt.Errorf("the test node knows no resourceFieldRef (file %s)", item.Path)
		}
		value, err := field(pod, item.FieldRef.FieldPath)
		if err != nil {
			return err
		}
		f[item.Path] = []byte(value)
	}
	return nil
}

// write puts the files into dir. All are executable: scripts in ConfigMaps often carry a mode that says so, and
// for the others it does no harm.
func (f fileTree) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, data := range f {
		path := filepath.Join(dir, filepath.Clean("/"+name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// mountVolumes makes the pod's volumes in its folder. It can be repeated after an error.
func (p *pod) mountVolumes(ctx context.Context) error {
	object := p.snapshot()
	for _, v := range object.Spec.Volumes {
		dir := filepath.Join(p.dir, "volumes", v.Name)
		if v.PersistentVolumeClaim != nil {
			dir = p.node.claimDir(object.Namespace, v.PersistentVolumeClaim.ClaimName)
			p.claims[v.Name] = dir
		}
		files, ok, err := content(ctx, p.node, p.node, object, v)
		if err != nil {
			return err
		}
		if ok {
			err = files.write(dir)
		} else {
			err = os.MkdirAll(dir, 0o755)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
