unit Shapes;
uses SysUtils;
// Adds.
function Add(a, b: Integer): Integer;
procedure TShape.Draw;
