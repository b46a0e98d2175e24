const std = @import("std");
const util = @import("util.zig");

/// Most.
pub const limit: usize = 10;
var counter: u32 = 0;

/// A point. More.
pub const Point = struct {
    x: i32,
    pub const origin = Point{ .x = 0 };
    /// Makes it.
    pub fn init(x: i32) Point {
        const local = 1;
        return .{ .x = x };
    }
    fn hidden(self: *Point) void {}
};
const Colour = enum { red, green };
const Bits = union(enum) { a: u8 };
const Errors = error{ Bad };

fn Generic(comptime T: type) type {
    return struct { value: T };
}
pub extern fn from_c(a: c_int) c_int;
export fn exported_fn() void {}
test "works" {
    try std.testing.expect(true);
}
