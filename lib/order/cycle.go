package order

import (
	"fmt"
	"strings"

	"carvel.dev/kapp/pkg/kapp/diffgraph"
)

// CycleError says that change rules contradict each other, so that kapp refuses to deploy.
type CycleError struct {
	// Steps go round: each waits for the next, the last for the first.
	Steps []Step
}

// Step is one resource of a cycle, with the rule that makes it wait for the next, and the resource that this stands on.
type Step struct {
	Resource string
	Rule     string
	RuleOf   string
}

// Error shows the whole chain, one step a line.
func (e *CycleError) Error() string {
	var b strings.Builder
	b.WriteString("the order goes round in a circle (take one of these rules away):")
	for i, step := range e.Steps {
		next := e.Steps[(i+1)%len(e.Steps)]
		fmt.Fprintf(&b, "\n  %s waits for %s, by the rule of %s: %s", step.Resource, next.Resource, step.RuleOf, step.Rule)
	}
	return b.String()
}

// findCycle gives a cycle of kapp's graph as an error, nil where there is none. kapp names the cycle too, but not its rules.
func findCycle(graph *diffgraph.ChangeGraph) error {
	if graph == nil {
		return nil
	}
	search := search{done: map[*diffgraph.Change]bool{}, onPath: map[*diffgraph.Change]int{}}
	for _, node := range graph.All() {
		if cycle := search.visit(node); cycle != nil {
			return newCycleError(cycle)
		}
	}
	return nil
}

// search is a depth-first walk along what waits for what.
type search struct {
	path   []*diffgraph.Change
	onPath map[*diffgraph.Change]int
	done   map[*diffgraph.Change]bool
}

func (s *search) visit(node *diffgraph.Change) []*diffgraph.Change {
	if s.done[node] {
		return nil
	}
	if start, found := s.onPath[node]; found {
		return s.path[start:]
	}
	s.onPath[node] = len(s.path)
	s.path = append(s.path, node)
	for _, next := range node.WaitingFor {
		if cycle := s.visit(next); cycle != nil {
			return cycle
		}
	}
	s.path = s.path[:len(s.path)-1]
	delete(s.onPath, node)
	s.done[node] = true
	return nil
}

func newCycleError(cycle []*diffgraph.Change) *CycleError {
	err := &CycleError{}
	for i, node := range cycle {
		next := cycle[(i+1)%len(cycle)]
		step := Step{Resource: reference(node.Change.Resource())}
		if rule := ruleBetween(node, next, diffgraph.ChangeRuleOrderAfter); rule != "" {
			step.Rule, step.RuleOf = rule, step.Resource
		} else if rule := ruleBetween(next, node, diffgraph.ChangeRuleOrderBefore); rule != "" {
			step.Rule, step.RuleOf = rule, reference(next.Change.Resource())
		}
		err.Steps = append(err.Steps, step)
	}
	return err
}

// ruleBetween gives the rule of one change, of an order, that reaches another.
func ruleBetween(of, other *diffgraph.Change, order diffgraph.ChangeRuleOrder) string {
	rules, err := of.ApplicableRules()
	if err != nil {
		return ""
	}
	for _, rule := range rules {
		if rule.Order != order || rule.IgnoreIfCyclical {
			continue
		}
		matched, err := diffgraph.Changes{other}.MatchesRule(rule, of)
		if err == nil && len(matched) > 0 {
			return fmt.Sprintf("%s %s %s %s", rule.Action, rule.Order, rule.TargetAction, rule.TargetGroup.Name)
		}
	}
	return ""
}
