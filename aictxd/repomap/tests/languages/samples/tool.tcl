package require Tk
# Adds.
proc add {a b} {
    expr {$a + $b}
}
