module App

using LinearAlgebra, Statistics
import Base: show, +
include("util.jl")
export area, Shape

"A shape. More."
abstract type Shape end

"""
    Circle(r)

A circle.
"""
struct Circle{T} <: Shape
    r::T
    Circle(r) = new(r)
end
mutable struct Box
    w::Int
end
primitive type Byte 8 end
@enum Colour red green

const LIMIT = 10

"The area."
function area(c::Circle{T}; scale=1) where {T}
    local_fn() = 1
    c.r
end
perimeter(c::Circle) = 2
Base.show(io::IO, c::Circle) = print(io, c)
function Base.length(c::Circle) end
macro shout(x)
    x
end
@inline fast(x) = x
module Inner
f() = 1
end
end
@testset "shapes" begin
end
