//go:build race

package tck

const raceDetector = true
