package vectors_test

import "slices"

func features() []feature {
	return slices.Concat(split(), railed, accumulated, flattened, used, peeked, createdBy, kept, retried)
}

func singles() []single { return nil }
