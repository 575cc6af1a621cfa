package order

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	ctlres "carvel.dev/kapp/pkg/kapp/resources"
	"carvel.dev/kapp/pkg/kapp/yttresmod"
)

// cache remembers what ytt rebase rules answered: each takes milliseconds, all else of a plan microseconds. It may grow to
// one resource for each different question.
type cache struct {
	mu      sync.Mutex
	answers map[[sha256.Size]byte]ctlres.Resource
}

// cachedMod is a ytt rebase rule that asks ytt once for each different input.
type cachedMod struct {
	yttresmod.OverlayContractV1Mod
	cache *cache
}

// wrap puts the cache before those rules that run ytt.
func (c *cache) wrap(mods []ctlres.ResourceModWithMultiple) []ctlres.ResourceModWithMultiple {
	wrapped := make([]ctlres.ResourceModWithMultiple, len(mods))
	for i, mod := range mods {
		if overlay, ok := mod.(yttresmod.OverlayContractV1Mod); ok {
			mod = cachedMod{overlay, c}
		}
		wrapped[i] = mod
	}
	return wrapped
}

// ApplyFromMultiple changes res as the rule does. The rule's answer depends on its text and on the resources it is given.
func (m cachedMod) ApplyFromMultiple(res ctlres.Resource, sources map[ctlres.FieldCopyModSource]ctlres.Resource) error {
	key, err := m.key(res, sources)
	if err != nil {
		return err
	}
	m.cache.mu.Lock()
	answer := m.cache.answers[key]
	m.cache.mu.Unlock()
	if answer != nil {
		res.DeepCopyIntoFrom(answer)
		return nil
	}
	if err := m.OverlayContractV1Mod.ApplyFromMultiple(res, sources); err != nil {
		return err
	}
	m.cache.mu.Lock()
	defer m.cache.mu.Unlock()
	if m.cache.answers == nil {
		m.cache.answers = map[[sha256.Size]byte]ctlres.Resource{}
	}
	m.cache.answers[key] = res.DeepCopy()
	return nil
}

func (m cachedMod) key(res ctlres.Resource, sources map[ctlres.FieldCopyModSource]ctlres.Resource) ([sha256.Size]byte, error) {
	input := map[string]any{"overlay": m.OverlayYAML, "resource": res.UnstructuredObject()}
	for name, source := range sources {
		if source != nil {
			input["source "+string(name)] = source.UnstructuredObject()
		}
	}
	text, err := json.Marshal(input)
	return sha256.Sum256(text), err
}
