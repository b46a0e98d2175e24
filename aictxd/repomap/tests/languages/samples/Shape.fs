module App.Shape
open System
/// A shape.
type Shape =
    | Circle of float
    member this.Area = 1.0
/// The area.
let area (s: Shape) =
    let local = 1
    local
