// Package archtest holds the tests that read the module's own source: which way
// imports point, what comments must say, which methods must be generic, how long
// a file may be, which names still lack an Example. Each rule is a function from
// parsed source to findings, and each has a test that shows it finding something.
package archtest
