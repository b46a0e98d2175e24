/* Licence. */

#include <stdio.h>
#include "a/b.h"

#ifndef SAMPLE_H
#define SAMPLE_H
#define LIMIT 10
/* The larger one. */
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* A point.  */
struct point {
    int x, y;
    int (*move)(struct point *);
    struct inner { int z; } in;
};

typedef struct point point_t;
typedef struct {
    int a;
} anonymous;
typedef struct node {
    struct node *next;
} node, *node_ptr;
typedef int (*callback)(void *, int);
typedef unsigned long ulong_t;

enum colour { RED, GREEN = 2 };
typedef enum { ONE, TWO } number;
union bits { int i; float f; };

extern int counter;
static int hidden = 1;
int global_a = 1, *global_b;
int (*function_pointer)(int);
const char *names[] = { "a", "b" };

/* Declared. */
int prototype(int a, char *b);
struct point *make(void);

#ifdef CONFIG
static inline struct point *
defined(struct point *p,
        int flags)
{
    int local = 1;
    return p;
}
#else
int otherwise(void) { return 0; }
#endif

// Old style.
int main(argc, argv)
    int argc;
    char **argv;
{
    return 0;
}
#endif
