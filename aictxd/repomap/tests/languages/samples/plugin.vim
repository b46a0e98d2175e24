" Greets.
function! my#plugin#greet() abort
  echo 1
endfunction
command! Greet call my#plugin#greet()
