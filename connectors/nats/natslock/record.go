package natslock

import (
	"encoding/json"

	"github.com/nats-io/nats.go"

	"github.com/goreactor/reactor/keylock"
)

const (
	operationHeader = "KV-Operation"
	operationDelete = "DEL"
	operationPurge  = "PURGE"
)

// record is the value of a key that is held.
type record struct {
	Owner string `json:"owner"`
	Nonce string `json:"nonce"`
	Token uint64 `json:"token,omitempty"` // 0 in the first write, whose revision it is
}

func (r record) encode() []byte {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // it has strings and a number
	}
	return b
}

// eventOf returns what a message in the bucket says about its key.
func eventOf(key string, header nats.Header, data []byte, revision uint64) keylock.Event {
	e := keylock.Event{Kind: keylock.Occupied, Revision: revision}
	switch op := header.Get(operationHeader); {
	case header.Get("Nats-Marker-Reason") != "":
		e.Kind = keylock.Expired
		return e
	case op == operationPurge || op == operationDelete:
		e.Kind = keylock.Released
		return e
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil || r.Nonce == "" {
		// Not ours: whoever put it there has the key.
		r = record{Owner: "a value that is no record of natslock"}
	}
	if r.Token == 0 {
		r.Token = revision
	}
	e.Grant = keylock.Grant{Key: key, Owner: r.Owner, Nonce: r.Nonce, Token: r.Token, Revision: revision}
	return e
}
