// Package companion is what stages are made of that subscribe their source again when another publisher, the companion, says so:
// retryWhen and repeatWhen with a function. The companion is made of the publisher of ends that it answers.
package companion
