library(dplyr)
require("stats")
source("util.R")

# Most.
LIMIT <- 10

#' Adds two. More.
#'
#' @param a first
add <- function(a, b = 1) {
  nested <- function() 1
  a + b
}
assign_eq = function(x) x
function(x) x -> right
print.shape <- function(x, ...) invisible(x)
setClass("Point", representation(x = "numeric"))
setGeneric("area", function(shape) standardGeneric("area"))
setMethod("area", "Point", function(shape) 1)
Stack <- R6Class("Stack", public = list(
  push = function(x) x
))
test_that("it works", {
  expect_true(TRUE)
})
