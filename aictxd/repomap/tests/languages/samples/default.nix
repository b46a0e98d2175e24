{ pkgs }:
let
  helper = x: x + 1;
in {
  name = "sample";
}
