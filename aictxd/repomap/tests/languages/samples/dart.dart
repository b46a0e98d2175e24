library app;

import 'dart:io';
import 'package:a/b.dart' as b;
export 'src/c.dart';
part 'd.g.dart';

/// A shape. More.
@immutable
abstract class Shape<T> extends Base with Mixin implements Drawable {
  static const int limit = 10;
  final int _field;
  /// Makes it.
  Shape(this._field);
  Shape.named(int a) : _field = a;
  factory Shape.make() => throw 1;
  double area();
  @override
  void draw(Canvas c) {
    void local() {}
  }
  int get size => 1;
  set size(int v) {}
  Shape operator +(Shape o) => this;
  void _hidden() {}
}

mixin Mixin on Base { void mix() {} }
enum Colour { red, green; void blend() {} }
extension Shout on String { String shout() => ''; }
typedef Handler = void Function(int);
/// Adds.
int add(int a, {int b = 1}) => a + b;
const limit = 3;
var counter = 0;
final String name = 'x';
void main() {
  test('works', () {});
}
