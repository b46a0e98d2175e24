import strutils
type
  Shape* = object
    size: int
# Adds.
proc add*(a, b: int): int =
  result = a + b
template twice(x: untyped) = x
