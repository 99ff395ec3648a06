// Package asking is about asking upstream for more with a drain left, for stages whose publishers may work where they are asked.
//
// It counts nothing that downstream has asked for: that is package demand.
package asking
