include "base.thrift"
// A user.
struct User {
  1: string name
}
service Users {
  User get(1: string id)
}
