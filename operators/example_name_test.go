package operators_test

import (
	"fmt"

	"github.com/goreactor/reactor/operators"
)

func ExampleLabelsOf() {
	src := operators.Tag(operators.Name(operators.Range(1, 3), "orders"), "tenant", "acme")
	fmt.Println(operators.LabelsOf(src))
	// Output: {orders map[tenant:acme]}
}
