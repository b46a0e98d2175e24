// Package sample is documented.
package sample

import "fmt"
import (
	"os"
	alias "path/filepath"
	_ "embed"
)

// Early is a method above its type.
func (s *Server[T]) Early() {}

// Server serves. It has more.
type Server[T any] struct {
	Name string
}

type (
	// Handler handles.
	Handler func(int) error
	private int
)

// Reader reads.
type Reader interface {
	fmt.Stringer
	// Read reads bytes.
	Read(p []byte) (n int, err error)
	Close() error
}

type Alias = Server[int]

const Single = 1

// Levels.
const (
	// Low is low.
	Low = iota
	Mid // behind
	high, higher = 1, 2
)

var Global, other = 1, "x"
var (
	// ErrBad is bad.
	ErrBad = fmt.Errorf("bad")
	_ Reader = nil
)

// New makes a server.
//
//go:noinline
func New[T any](name string,
	more ...int) (*Server[T], error) {
	local := 1
	_ = local
	return nil, nil
}

func (Server[T]) Value() int { return 1 }

func (f foreign) Method() {}

func asm(x int) int

func TestNew(t *testing.T) {}
func BenchmarkNew(b *testing.B) {}
func FuzzNew(f *testing.F) {}
func ExampleNew() {}
func Testify(x int) {}
