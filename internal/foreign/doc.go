// Package foreign stands between the operators and what implements a scheduler elsewhere: a program, or an executor that a scheduler
// of this library hands its tasks to. What panics there is the refusal of a task, which every operator knows how to take, or is
// reported as dropped where nobody waits for it.
//
// It is for panics. A method that ends its goroutine does so: the operators defer what has to be done behind it.
package foreign
