#import "Shape.h"
#import <Foundation/Foundation.h>

// A shape.
@interface Shape : NSObject
@property int size;
- (instancetype)initWithSize:(int)size;
@end

@implementation Shape
// Draws it.
- (void)drawOn:(Canvas *)canvas times:(int)n {
    [canvas draw];
}
+ (Shape *)make { return nil; }
@end

static int helper(int a) {
    return a;
}
