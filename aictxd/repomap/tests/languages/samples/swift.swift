import Foundation
import struct UIKit.View

/// A shape. More.
@MainActor
public final class Shape<T>: Base, Drawable {
    static let limit = 10
    private var field: Int = 0
    var area: Double { 1.0 }
    /// Makes it.
    public init(size: Int) { self.field = size }
    convenience init?(name: String) { return nil }
    deinit {}
    public func draw(on canvas: Canvas, with x: Int = 1) -> Bool {
        func local() {}
        return true
    }
    private func hidden() {}
    subscript(index: Int) -> Int { 1 }
    class func make() -> Shape { fatalError() }
    struct Nested { func deep() {} }
}

struct Point: Equatable { var x = 0 }
enum Colour: String {
    case red, green = "g"
    case blue(Int)
    func mix() {}
}
public protocol Drawable: AnyObject {
    associatedtype Canvas
    var area: Double { get }
    func draw(on canvas: Canvas)
    init(size: Int)
}
extension Shape: Codable where T: Codable {
    func encode() {}
}
extension String { func shout() -> String { "" } }
actor Store { func save() async {} }
typealias Handler = (Int) -> Void
func free<T>(_ a: T) throws -> T { a }
let topLevel = 1
infix operator +++
class ShapeTests: XCTestCase {
    func testDraws() {}
}
