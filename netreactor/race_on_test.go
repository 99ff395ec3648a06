//go:build race

package netreactor_test

const raceDetector = true
