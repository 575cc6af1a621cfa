// Package timeline records what happens in a cluster and when, so that a test can assert an order by name
// and, where the order is wrong, show all that happened as a table.
//
// # Entries
//
// A Recorder watches all resources that an app consists of, custom ones too, and is told by the test node
// when a process starts and ends. Each is an Entry, an object and a verb:
//
//	created    the object appeared
//	updated    its spec (or data) changed
//	touched    only its labels or annotations changed
//	ready      it became what kapp waits for: a Deployment rolled out, a pod or custom resource ready, a CRD established, a claim bound
//	succeeded  a Job is complete, a pod has succeeded
//	failed     a Job or pod has failed
//	deleting   it was deleted and waits for a finalizer or a grace period
//	deleted    it is gone
//	started    a container of a pod of the object started: Job/migrate started
//	ended      a container of a pod of the object ended
//
// An object is written Kind/name, and a test names an entry "Job/migrate ended". The name may have wildcards of
// path.Match: "Job/* started".
//
// # Time and order
//
// All times are of this process's clock: of the watch event's arrival, or, for started and ended, of the moment
// itself. So a table can show an object's change a few milliseconds late. Assertions are not misled by that: two
// changes of objects are compared by their resource versions, which are in the order in which the API server
// made them, and a start or end counts as later than every change that was made before the node's last view of the pod.
package timeline
