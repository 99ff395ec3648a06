// Package sqlstream turns the rows of package database/sql into streams that are
// read on demand.
//
//	open := sqlstream.Query(db, sqlstream.SQL("SELECT id, cents FROM orders WHERE state = ?", "open"), scanOrder)
//
// A query takes a connection when somebody subscribes, and gives it back at the end, of
// whatever kind. Until then the connection is in use, so a stream that is read slowly
// keeps a connection from others: limit the time with Timeout, or the number with
// db.SetMaxOpenConns, and don't wait in one stream for another stream that needs a
// connection of the same limited pool.
package sqlstream
