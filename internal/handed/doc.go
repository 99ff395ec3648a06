// Package handed keeps a Goexit known that a guard has dealt with where it passes what the guards of package failure can't see through:
// code of somebody else, which is shown an error and hands it on, and coroutines.
//
// It deals with no Goexit itself: which guard does is told in package failure.
package handed
