package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheListingsAreUpToDate(t *testing.T) {
	assert.NoError(t, run("../..", true))
}

// Without its dash -check would have the listings written.
func TestArgumentsWithoutADashAreRefused(t *testing.T) {
	_, err := parse([]string{"check"})
	assert.EqualError(t, err, `unknown argument "check"`)
	check, err := parse([]string{"-check"})
	require.NoError(t, err)
	assert.True(t, check)
}

// made is a repository with one module, of which one package is public.
func made(t *testing.T, source string) (root string) {
	root = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":               "module example.com/m\n\ngo 1.27\n",
		"p/p.go":               source,
		"internal/hidden/h.go": "package hidden\n\n// Base has a method.\ntype Base struct{ Field int }\n\n// Promoted is one.\nfunc (Base) Promoted() {}\n",
		"examples/e/e.go":      "package e\n\nfunc Example() {}\n",
		"cmd/c/main.go":        "package main\n\nfunc Main() {}\n\nfunc main() {}\n",
	} {
		file := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	return root
}

// A package on which x/exp's apidiff of 2026-10-14, compared with itself, overflows the
// stack.
const generic = `package p

type F[T any] struct{}

func (f F[T]) Map[R any](fn func(T) R) F[R] { return F[R]{} }
`

func TestEveryKindOfDeclaration(t *testing.T) {
	root := made(t, `package p

import (
	"context"
	"time"

	"example.com/m/internal/hidden"
)

type F[T any] struct {
	Value  T
	hidden int
	*E
	hidden2
}

type E struct{ Y, Z bool }

type hidden2 struct{ Deep int }

func (f F[T]) Map[R any](fn func(value T, at int) (R, error)) F[R] { return F[R]{} }
func (f *F[T]) Reset(args ...T)                                    {}
func (f F[T]) unexported()                                         {}
func (e *E) Close() error                                          { return nil }

type P[K comparable, V ~int | ~string] interface {
	Get(ctx context.Context, key K) (value V, ok bool)
	sealed()
}

type Self[T any] interface{ F[T] }

type (
	A[T any]   = F[T]
	B          = hidden.Base
	C          = int
	Kind       uint8
	Fn         func(map[string][]int, chan<- [2]int, <-chan struct{ X int }) any
	unexported struct{}
)

func (k Kind) String() string { return "" }

const (
	Zero Kind = iota
	One
	Untyped = "x"
	hidden3 = 1
)

var Wait time.Duration

func New[T any, I interface{ *T; Close() error }](i I, opts ...func(*F[T])) (*F[T], error) { return nil, nil }
`)
	require.NoError(t, run(root, false))
	files, err := filepath.Glob(filepath.Join(root, "api/*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(root, "api/p.txt")}, files)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	assert.Equal(t, strings.TrimPrefix(`
const One Kind = 1
const Untyped untyped string = "x"
const Zero Kind = 0
func New[T any, I interface{*T; Close() error}](I, ...func(*F[T])) (*F[T], error)
method (*E) Close() error
method (*F[T]) Reset(...T)
method (F[T]) Close() error
method (F[T]) Map[R any](func(T, int) (R, error)) F[R]
method (Kind) String() string
type A[T any] = F[T]
type B = hidden.Base
type C = int
type E struct
type E struct, Y bool
type E struct, Z bool
type F[T any] struct
type F[T any] struct, Deep int
type F[T any] struct, Value T
type F[T any] struct, embedded *E
type Fn func(map[string][]int, chan<- [2]int, <-chan struct{X int}) any
type Kind uint8
type P[K comparable, V ~int | ~string] interface
type P[K comparable, V ~int | ~string] interface, Get(context.Context, K) (V, bool)
type P[K comparable, V ~int | ~string] interface, and unexported methods
type Self[T any] interface{F[T]}
var Wait time.Duration
`, "\n"), string(text))
}

func TestCheckShowsWhatHasChanged(t *testing.T) {
	root := made(t, generic)
	assert.EqualError(t, run(root, true), `the exported API has changed (make api, and say why in the commit):
p.txt: + method (F[T]) Map[R any](func(T) R) F[R]
p.txt: + type F[T any] struct`)

	require.NoError(t, run(root, false))
	require.NoError(t, run(root, true))

	require.NoError(t, os.WriteFile(filepath.Join(root, "p/p.go"), []byte(strings.ReplaceAll(generic, "Map[R any]", "Map[R comparable]")), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "api/gone.txt"), []byte("func Gone()\n"), 0o644))
	assert.EqualError(t, run(root, true), `the exported API has changed (make api, and say why in the commit):
gone.txt: - func Gone()
p.txt: - method (F[T]) Map[R any](func(T) R) F[R]
p.txt: + method (F[T]) Map[R comparable](func(T) R) F[R]`)
	require.NoError(t, run(root, false))
	assert.NoFileExists(t, filepath.Join(root, "api/gone.txt"))
	assert.NoError(t, run(root, true))
}

func TestWhatDoesNotCompileIsAnError(t *testing.T) {
	root := made(t, "package p\n\nfunc F() int { return \"\" }\n")
	err := run(root, false)
	require.ErrorContains(t, err, "p/p.go:3")
	assert.NoDirExists(t, filepath.Join(root, "api"))
}
