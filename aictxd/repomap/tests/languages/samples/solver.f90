module solver
  use iso_c_binding
contains
  ! Solves it.
  subroutine solve(a, n)
    integer :: n
  end subroutine solve
  pure function twice(x) result(y)
  end function
end module solver
