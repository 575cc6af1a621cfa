package node

import (
	"context"
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// source reads what env and volumes refer to. A missing object is a NotFound error of the API.
type source interface {
	ConfigMap(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error)
	Secret(ctx context.Context, namespace, name string) (*corev1.Secret, error)
}

// environment resolves the container's variables: base (what the node gives) is overridden by envFrom, and that
// by env, in their order.
func environment(ctx context.Context, src source, pod *corev1.Pod, c corev1.Container, base map[string]string) (map[string]string, error) {
	vars := map[string]string{}
	for k, v := range base {
		vars[k] = v
	}
	for _, from := range c.EnvFrom {
		data, err := envFrom(ctx, src, pod.Namespace, from)
		if err != nil {
			return nil, err
		}
		for k, v := range data {
			vars[from.Prefix+k] = v
		}
	}
	get := func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	for _, env := range c.Env {
		if env.ValueFrom == nil {
			vars[env.Name] = expand(env.Value, get)
			continue
		}
		value, ok, err := valueFrom(ctx, src, pod, env.ValueFrom)
		if err != nil {
			return nil, err
		}
		if ok {
			vars[env.Name] = value
		}
	}
	return vars, nil
}

func envFrom(ctx context.Context, src source, namespace string, from corev1.EnvFromSource) (map[string]string, error) {
	switch {
	case from.ConfigMapRef != nil:
		cm, err := src.ConfigMap(ctx, namespace, from.ConfigMapRef.Name)
		if missing(err, from.ConfigMapRef.Optional) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		return cm.Data, nil
	case from.SecretRef != nil:
		secret, err := src.Secret(ctx, namespace, from.SecretRef.Name)
		if missing(err, from.SecretRef.Optional) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		return texts(secret.Data), nil
	}
	return nil, nil
}

// valueFrom gives the referred value; ok is false for an optional one that is not there.
func valueFrom(ctx context.Context, src source, pod *corev1.Pod, from *corev1.EnvVarSource) (value string, ok bool, err error) {
	switch {
	case from.FieldRef != nil:
		value, err = field(pod, from.FieldRef.FieldPath)
		return value, err == nil, err
	case from.ConfigMapKeyRef != nil:
		ref := from.ConfigMapKeyRef
		cm, err := src.ConfigMap(ctx, pod.Namespace, ref.Name)
		if err != nil {
			return "", false, unless(missing(err, ref.Optional), err)
		}
		value, ok = cm.Data[ref.Key]
		if !ok && !isTrue(ref.Optional) {
			return "", false, fmt.Errorf("couldn't find key %s in ConfigMap %s/%s", ref.Key, pod.Namespace, ref.Name)
		}
		return value, ok, nil
	case from.SecretKeyRef != nil:
		ref := from.SecretKeyRef
		secret, err := src.Secret(ctx, pod.Namespace, ref.Name)
		if err != nil {
			return "", false, unless(missing(err, ref.Optional), err)
		}
		data, ok := secret.Data[ref.Key]
		if !ok && !isTrue(ref.Optional) {
			return "", false, fmt.Errorf("couldn't find key %s in Secret %s/%s", ref.Key, pod.Namespace, ref.Name)
		}
		return string(data), ok, nil
	}
	return "", false, fmt.Errorf("the test node knows no such valueFrom: %s (use fieldRef, configMapKeyRef or secretKeyRef)", from)
}

// field gives the value of a downward API field.
func field(pod *corev1.Pod, path string) (string, error) {
	if name, key, ok := strings.Cut(path, "['"); ok && strings.HasSuffix(key, "']") {
		key = strings.TrimSuffix(key, "']")
		switch name {
		case "metadata.labels":
			return pod.Labels[key], nil
		case "metadata.annotations":
			return pod.Annotations[key], nil
		}
	}
	switch path {
	case "metadata.name":
		return pod.Name, nil
	case "metadata.namespace":
		return pod.Namespace, nil
	case "metadata.uid":
		return string(pod.UID), nil
	case "metadata.labels":
		return lines(pod.Labels), nil
	case "metadata.annotations":
		return lines(pod.Annotations), nil
	case "spec.nodeName":
		return pod.Spec.NodeName, nil
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName, nil
	case "status.podIP", "status.podIPs":
		return pod.Status.PodIP, nil
	case "status.hostIP", "status.hostIPs":
		return pod.Status.HostIP, nil
	}
	return "", fmt.Errorf("the test node knows no field %s", path)
}

// lines writes labels or annotations as the downward API does.
func lines(m map[string]string) string {
	var all []string
	for k, v := range m {
		all = append(all, fmt.Sprintf("%s=%q", k, v))
	}
	sort.Strings(all)
	return strings.Join(all, "\n")
}

func texts(data map[string][]byte) map[string]string {
	m := make(map[string]string, len(data))
	for k, v := range data {
		m[k] = string(v)
	}
	return m
}

func isTrue(b *bool) bool { return b != nil && *b }

// missing tells that the object is not there and need not be.
func missing(err error, optional *bool) bool { return apierrors.IsNotFound(err) && isTrue(optional) }

func unless(excused bool, err error) error {
	if excused {
		return nil
	}
	return err
}
