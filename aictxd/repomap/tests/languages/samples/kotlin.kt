package com.example.app

import kotlin.math.max
import a.b.*
import a.c as d

/** A shape. More. */
@Serializable
abstract class Shape<T>(val size: Int, private val b: T) : Base(), Drawable {
    init { println() }
    constructor(a: String) : this(1, a)
    abstract fun area(): Double
    override fun draw() = println()
    private fun hidden() {}
    val property: Int get() = 1
    inner class Inner { fun deep() {} }
    companion object {
        const val LIMIT = 10
        fun create(): Shape<Int> = TODO()
    }
}

data class Point(val x: Int, val y: Int)
sealed interface Event { fun fire() }
enum class Colour(val code: Int) {
    /** Red. */
    RED(1), GREEN(2);
    fun mix() {}
}
object Registry {
    fun register() {}
}
annotation class Marker
typealias Handler = (Int) -> Unit

/** Adds. */
suspend inline fun <reified T> add(
    a: T,
    b: T,
): T {
    fun local() {}
    return a
}
fun String.shout(): String = uppercase()
val top: Int = 1
private var hiddenTop = "x"
internal const val MAX = 3
class ShapeTest {
    @Test
    fun `makes a shape`() {}
}
