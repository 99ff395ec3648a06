// Package batch is what stages are made of that send slices: a Slicer collects elements into one slice after the other, a RestSlicer
// sends what is left after the end, a Stage has its slices cut off by something else than elements. What cuts by looking at the elements
// is package boundary.
package batch
