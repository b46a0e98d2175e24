package app3

enum Colour(val code: Int):
  case Red extends Colour(1)
  case Green, Blue
  case Mixed(a: Int)

given ordering: Ordering[Colour] with
  def compare(a: Colour, b: Colour): Int = 0

extension (s: String)
  def shout: String = s.toUpperCase

@main def run(args: String*): Unit =
  println("x")

val top = 1
type Handler = Int => Unit
