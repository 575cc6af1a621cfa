package harness_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/harness"
)

func TestMain(m *testing.M) {
	if os.Getenv(secondCopy) != "" {
		fmt.Fprintln(os.Stderr, playSecondCopy())
		os.Exit(1)
	}
	harness.Main(m)
}
