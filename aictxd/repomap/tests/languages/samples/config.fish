source base.fish
# Greets.
function fish-greeting --description 'x'
    echo hi
end
