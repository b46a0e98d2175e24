(* Licence. *)

open Printf
module M = Map.Make (String)

(** A shape. More. *)
type shape =
  | Circle of float
  | Square of { side : float }
and other = { field : int }

exception Bad of string

(** The area. *)
let area ?(scale = 1.) = function
  | Circle r -> r
  | Square _ -> scale
let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0
let limit = 10
let ( + ) a b = a
external c_fun : int -> int = "c_fun"

module Inner = struct
  let deep () = 1
end
module type S = sig
  type t
  val make : int -> t
end
module Functor (X : S) = struct
  let use = X.make
end
class point x = object
  val mutable y = x
  method get = y
  method private hidden = 1
end
let () = print_endline ""
