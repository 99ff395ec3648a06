// Package argument refuses arguments of operators that nothing can be made of, with a panic that names
// operator, argument and value.
//
// It is for assembly. What turns out to be wrong when a chain runs is an error of that stream, for which
// there is reactor.Failure.
package argument
