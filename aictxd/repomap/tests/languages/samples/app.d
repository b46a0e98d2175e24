module app;
import std.stdio;
class Shape {
    void draw() {}
}
