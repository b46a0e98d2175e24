(** A shape. *)
type shape

val area : shape -> float
(** The area. *)

exception Bad
module Inner : sig
  val deep : unit -> int
end
external c_fun : int -> int = "c_fun"
