// Package harness lets a test deploy with the real kapp to a real control plane and assert what happened and
// in which order.
//
//	func TestMain(m *testing.M) { harness.Main(m) }
//
//	func TestUpgrade(t *testing.T) {
//		t.Parallel()
//		ns := harness.Start(t).Namespace(t)
//		shop := ns.App("shop")
//
//		shop.Deploy(t, shopV1).OK(t)
//		second := shop.Deploy(t, shopV2).OK(t)
//		second.Timeline.Before(t, "Job/migrate ended", "Deployment/api updated")
//		second.Timeline.Never(t, "Job/seed started")
//	}
//
// One control plane, with one test node and one recorder, serves all tests of a test binary; each test gets a
// namespace of its own, so tests can run in parallel. A second test binary, or a second copy of the same, has its own.
//
// The files of a deployment are given as one text in the txtar format, "-- name --" before each file; ${NS} in it
// stands for the namespace.
//
// A Cluster can be had without a test too (Open), for a program that shows hooks at work.
package harness
