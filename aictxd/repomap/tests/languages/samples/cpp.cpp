#include <vector>
#include "shape.hpp"

namespace geo {
namespace detail { int helper(); }

/// A shape. It is drawn.
class Shape : public Base {
public:
    Shape(int a);
    explicit Shape(const Shape &other) = delete;
    virtual ~Shape();
    virtual double area() const = 0;
    static Shape *make() { return nullptr; }
    Shape &operator=(const Shape &other);
    explicit operator bool() const { return true; }
    template <typename T> void visit(T &&t) { t(*this); }
    enum class Kind { Round, Square };
    using Ptr = int *;
    struct Nested { void go(); };
private:
    int field_ = 0;
    friend class Other;
};

template <class T, class U = int>
class Box {
    T get() const { return t; }
    T t;
};

template <>
struct Box<int> { };

/** Largest. */
template <typename T>
T largest(T a, T b)
{
    return a > b ? a : b;
}

typedef std::vector<int> Ints;
using Alias = std::vector<Shape>;
template <typename T> concept Small = sizeof(T) < 8;
constexpr int kLimit = 10;
static void hidden() {}
namespace { void unnamed() {} }
}  // namespace geo

namespace a::b { void deep(); }

geo::Shape::Shape(int a) : field_(a) { int local; }
geo::Shape::~Shape() {}
double Shape::area() const { return 0; }
Foreign<int>::Type Foreign<int>::run(int a) { return {}; }
Shape operator+(const Shape &a, const Shape &b) { return a; }
std::ostream &operator<<(std::ostream &out, const Shape &s);
extern "C" {
int from_c(int);
}
extern "C" void other_c() {}
auto trailing(int a) -> int { return a; }
TEST(ShapeTest, IsMade) { }
union Bits { int a; };
int *pointer(), value;
class API_EXPORT Exported { public: void first(); int second() { return 1; } };
struct API_EXPORT Derived final : public Base<int> {
  void third() {}
};
