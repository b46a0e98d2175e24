package com.example
package app

import scala.util.Try
import a.b.{C, D => E}
import a.c._

/** A shape. More. */
@deprecated
abstract class Shape[T](val size: Int) extends Base with Drawable {
  type Out = Int
  val field = 1
  private var hidden = 2
  def area: Double
  def draw(c: Canvas): Unit = { def local = 1 }
  private def secret() = 1
  class Nested { def deep() = 1 }
}
object Shape {
  val Limit = 10
  private val timeout = 5
  def apply(x: Int): Shape[Int] = ???
}
case class Point(x: Int, y: Int)
case object Empty
sealed trait Event { def fire(): Unit }
package object helpers { def help() = 1 }
