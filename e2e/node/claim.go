package node

import (
	"context"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// claimDir is the folder behind a claim. It outlives pods, and the claim too: names are not reused here.
func (n *Node) claimDir(namespace, name string) string {
	return filepath.Join(n.options.Dir, "claims", namespace, name)
}

// seeClaim makes a volume for a new claim, and removes that of one that is gone; binding the two is the
// persistent volume controller's part. It is what a storage provisioner does.
func (n *Node) seeClaim(claim *corev1.PersistentVolumeClaim) {
	if claim.Spec.VolumeName != "" || claim.DeletionTimestamp != nil {
		return
	}
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + string(claim.UID)},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: claim.Spec.Resources.Requests, AccessModes: claim.Spec.AccessModes, VolumeMode: claim.Spec.VolumeMode,
			StorageClassName:              ptr.Deref(claim.Spec.StorageClassName, ""),
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: n.claimDir(claim.Namespace, claim.Name)},
			},
		},
	}
	_, err := n.client.CoreV1().PersistentVolumes().Create(n.ctx, volume, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		n.complain("volume for claim %s/%s: %v", claim.Namespace, claim.Name, err)
	}
}

func (n *Node) forgetClaim(claim *corev1.PersistentVolumeClaim) {
	err := n.client.CoreV1().PersistentVolumes().Delete(context.WithoutCancel(n.ctx), "pvc-"+string(claim.UID), metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		n.complain("volume of claim %s/%s: %v", claim.Namespace, claim.Name, err)
	}
}
