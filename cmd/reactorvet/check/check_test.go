package check

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// Each finding of the made-up packages is announced by a comment, and nothing else is found.
func TestAnalyzers(t *testing.T) {
	for folder, a := range map[string]*analysis.Analyzer{
		"unused": UnusedStream, "all": AllError, "block": BlockInStage, "parallel": BlockOnParallel,
	} {
		t.Run(folder, func(t *testing.T) {
			analysistest.Run(t, analysistest.TestData(), a, "./"+folder)
		})
	}
}
