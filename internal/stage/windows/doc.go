// Package windows is what stages are made of that send publishers, one after the other or several at a time, and cut their
// elements into them: how many are open, who cancels upstream when nobody listens any more, and the outlet of the stream of windows.
package windows
