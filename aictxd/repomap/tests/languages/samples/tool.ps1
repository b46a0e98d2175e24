Import-Module Pester
# Gets it.
function Get-Thing {
    param($Name)
    $Name
}
class Shape {
    [int] $Size
}
