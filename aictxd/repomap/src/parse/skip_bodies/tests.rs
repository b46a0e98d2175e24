use super::*;

/// Returns the remaining text, with `⏎` for a line break; `None` where the source is to be parsed as it is.
fn left(outline: Outline, source: &str) -> Option<String> {
    let mut out = Outlined::default();
    let cut = outline(source.as_bytes(), &mut out);
    let text = String::from_utf8(out.text).unwrap();
    cut.then(|| text.replace('\n', "⏎"))
}

fn check(outline: Outline, cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        let found = left(outline, source);
        assert_eq!(found.as_deref(), Some(*expected), "{source}");
    }
}

/// Nothing can be spared, or nothing is certain.
fn unchanged(outline: Outline, cases: &[&str]) {
    for source in cases {
        if let Some(found) = left(outline, source) {
            assert_eq!(found, source.replace('\n', "⏎"));
        }
    }
}

#[test]
fn bodies_of_c() {
    check(
        c,
        &[
            (
                "struct a {\n#define B 1\nint b; };",
                "struct a {⏎⏎int b; };",
            ),
            (
                "typedef enum {\n#include \"a.h\"\n#undef A\n#ifdef B\nC,\n#endif\nD_END\n} e;",
                "typedef enum {⏎⏎⏎#ifdef B⏎C,⏎#endif⏎D_END⏎} e;",
            ),
            (
                "EXTERN_C_BEGIN\nstruct a *b;\n  G_END_DECLS // Ends.\nstruct c *d;\nA_END_T\nb;\nEND c;",
                "⏎struct a *b;⏎   // Ends.⏎struct c *d;⏎⏎b;⏎END c;",
            ),
            (
                "int (*a(int b))(void)\n{\n  if (b) { c(); }\n}\n",
                "int (*a(int b))(void)⏎{⏎⏎;}⏎",
            ),
            ("a() { return '}'; }", "a() {;}"),
            ("a() { return \"}\\\"}\"; }", "a() {;}"),
            ("a() { /* } */ // }\n}", "a() {⏎;}"),
            ("a(b) { }\nint d;", "a(b) {;}⏎int d;"),
            ("A::A(int a) const { b }", "A::A(int a) const {;}"),
            ("auto a() -> int { return 1; }", "auto a() -> int {;}"),
            ("a() { b(R\"x(})\")x\"); }", "a() {;}"),
            ("a() { return 1'000; }", "a() {;}"),
            ("struct a { int b; };\nc() { d }", "struct a {};⏎c() {;}"),
            (
                "typedef struct { int (*b)(void); } c;",
                "typedef struct {} c;",
            ),
            (
                "struct __attribute__((packed)) a { int b; };",
                "struct __attribute__((packed)) a {};",
            ),
            ("struct PACKED(1) { int b; } c;", "struct PACKED(1) {} c;"),
            (
                "struct a { enum b { C } d; union { int e; } f; };",
                "struct a { enum b { C } d; union {} f; };",
            ),
            // Branches that each open a brace.
            (
                "a() {\n#ifdef B\nif (b) {\n#else\nif (c) {\n#endif\n}\n}\nint d;",
                "a() {⏎⏎⏎⏎⏎⏎⏎;}⏎int d;",
            ),
            // Prose that is never compiled.
            ("a() {\n#if 0\ndon't {\n#endif\n}", "a() {⏎⏎⏎⏎;}"),
            ("a() {\n#define B {\\\n{\n}", "a() {⏎⏎⏎;}"),
        ],
    );
    unchanged(
        c,
        &[
            "extern \"C\" { int a; }",
            "enum a { B = 1, C = 2 };",
            // The body ends in one of two branches.
            "void a() {\n#ifdef B\n}\n#else\n}\n#endif\nint c;",
            "#ifdef A\nvoid a() {\n#else\nvoid a(int b) {\n#endif\n}\nint c;",
            "void a() { b",
        ],
    );
    unchanged(
        cpp,
        &[
            "struct __attribute__((packed)) a { int b; };",
            "struct __attribute__((packed)) { int b; } c;",
            "typedef struct PACKED(1) { int b; } c;",
            "namespace A(b) { int c; }",
            "template <class A = B> struct C { int d; };",
            "class A { int b(); };",
        ],
    );
}

/// Returns the noted definitions of a source, and the text left for the grammar.
fn noted(source: &str) -> (Vec<String>, String) {
    let mut out = Outlined::default();
    assert!(c(source.as_bytes(), &mut out), "{source}");
    let text = |range: &Range<usize>| &source[range.clone()];
    let functions = out.functions.iter().map(|it| {
        format!(
            "{:?} {} [{}-{}] {}{}: {}{}",
            it.kind,
            text(&it.name),
            it.line,
            it.end_line,
            if it.exported { "exported" } else { "hidden" },
            if it.declared_only { ", declared" } else { "" },
            text(&it.signature),
            it.doc.as_ref().map_or("", text),
        )
    });
    let imports = out.imports.iter();
    let imports = imports.map(|(path, line)| format!("{} [{line}]", text(path)));
    let noted = functions.chain(imports).collect();
    (noted, String::from_utf8(out.text.clone()).unwrap())
}

#[test]
fn functions_of_c_are_noted() {
    for (source, expected) in [
        (
            "int a(void)\n{\n  b();\n}",
            "Function a [1-4] exported: int a(void)\n",
        ),
        (
            "// Says.\nstatic struct a *b(int c) { }",
            "Function b [2-2] hidden: static struct a *b(int c) // Says.",
        ),
        (
            "int a(int, char **b, ...);",
            "Function a [1-1] exported, declared: int a(int, char **b, ...)",
        ),
        ("void *a() { b }", "Function a [1-1] exported: void *a() "),
        (
            "int __init a(const char b[static 4], u8 c) { }",
            "Function a [1-1] exported: int __init a(const char b[static 4], u8 c) ",
        ),
        (
            "static void a(int b) __must_hold(&c->d) { }",
            "Function a [1-1] hidden: static void a(int b) __must_hold(&c->d) ",
        ),
        (
            "void a(const char *b, ...) __printf(1, 2);",
            "Function a [1-1] exported, declared: void a(const char *b, ...) __printf(1, 2)",
        ),
        (
            "static __printf(1, 2) void a(char *b) { }",
            "Function a [1-1] hidden: static __printf(1, 2) void a(char *b) ",
        ),
        (
            "__attribute__((cold)) int a(void) { b }",
            "Function a [1-1] exported: __attribute__((cold)) int a(void) ",
        ),
        (
            "static LIST_HEAD(a);",
            "Variable a [1-1] hidden: static LIST_HEAD(a)",
        ),
        (
            "static DEFINE_PER_CPU(struct a, b);",
            "Variable b [1-1] hidden: static DEFINE_PER_CPU(struct a, b)",
        ),
        (
            "static DEFINE_PER_CPU(bool, b);",
            "Variable b [1-1] hidden: static DEFINE_PER_CPU(bool, b)",
        ),
        (
            "int a(const char *b, ...) PRINTF_LIKE(1, 2) COLD;",
            "Function a [1-1] exported, declared: int a(const char *b, ...) PRINTF_LIKE(1, 2) COLD",
        ),
        (
            "SYSCALL_DEFINE2(a, const char __user *, b, int, c)\n{\n d();\n}",
            "Function a [1-4] exported: SYSCALL_DEFINE2(a, const char __user *, b, int, c)\n",
        ),
        (
            "DEFINE_MUTEX(a);",
            "Variable a [1-1] exported: DEFINE_MUTEX(a)",
        ),
        ("#include <a/b.h>", "a/b.h [1]"),
        ("\n# include \"a.h\" // Because.", "a.h [2]"),
    ] {
        let (found, left) = noted(source);
        assert_eq!(found, [expected], "{source}");
        assert_eq!(left.replace("// Says.", "").trim_ascii(), "", "{source}");
    }
    // A word with arguments that defines nothing.
    let (found, left) = noted("EXPORT_SYMBOL(a);\nMODULE_LICENSE(\"b\");\nint c;");
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(left, "\n\nint c;");
}

#[test]
fn what_may_be_something_else_is_left_to_the_grammar() {
    for source in [
        "a(b) int b; { c }",
        "int a(b, c) { d }",
        "int a(b, c);",
        "static a(int b) { c }",
        "struct a(int b) { int c; };",
        "typedef int a(int b);",
        "int (*a)(int b);",
        "int a(void (*b)(int)) { c }",
        "int a(int b = 1);",
        "A(b)\nint c(void) { d }",
        "TEST(a, b) { c }",
        "int a(int b)\nstruct c { int d; };",
        "else if (int a) { b }",
        "static A(B(c), 1 + d);",
        "int a(int b) : c(d) { e }",
        "extern \"C\" int a(int b) { c }",
        "extern \"C\" {\nint a(int b);\n}",
        "int a(\n#ifdef B\nint b);\n#endif\nint c;",
        "#ifdef A\nint a(int b) {\n#else\nint a(void) {\n#endif\n}\nint c;",
        "struct a { int b; } __attribute__((packed));",
        "enum { A } __packed; int b;",
    ] {
        let mut out = Outlined::default();
        c(source.as_bytes(), &mut out);
        let noted = out.functions.iter().map(|it| &source[it.name.clone()]);
        assert_eq!(noted.collect::<Vec<_>>(), [""; 0], "{source}");
    }
    // Not even a call, where something stands before.
    let packed = "struct a { int b; } __attribute__((packed));";
    assert_eq!(
        left(c, packed).unwrap(),
        "struct a {} __attribute__((packed));"
    );
}

#[test]
fn signatures_show_what_was_left_out() {
    let source = "a() { b }\nint c[] = {\n1, 2,\n#ifdef B\n3,\n#endif\n};\nint d;";
    let mut out = Outlined::default();
    assert!(c(source.as_bytes(), &mut out));
    let text = String::from_utf8(out.text.clone()).unwrap();
    assert_eq!(text, "a() {;}\nint c[] = {\n\n\n\n\n};\nint d;");
    for piece in ["a() ", "int d;", "int c"] {
        let at = text.find(piece).unwrap();
        let written = out.written(source.as_bytes(), at..at + piece.len());
        assert_eq!(written, piece.as_bytes());
    }
    let (from, to) = (text.find("int c").unwrap(), text.find(";\nint d").unwrap());
    let written = out.written(source.as_bytes(), from..to);
    assert_eq!(written, &source.as_bytes()[10..source.len() - 8]);
}

#[test]
fn bodies_of_go() {
    check(
        go,
        &[
            ("func a() {\n\tb(`}`, '}', \"}\")\n}\n", "func a() {⏎⏎}⏎"),
            (
                "func (a *A) b(c interface{}, d struct{ e int }) (f struct{ g int }) { h }\n",
                "func (a *A) b(c interface{}, d struct{ e int }) (f struct{ g int }) {}⏎",
            ),
            (
                "func a() interface{} { b }\nvar c = 1",
                "func a() interface{} {}⏎var c = 1",
            ),
            (
                "func a[T interface{ ~int }](b T) { c }",
                "func a[T interface{ ~int }](b T) {}",
            ),
            ("func a()\nfunc b() { c }", "func a()⏎func b() {}"),
        ],
    );
    unchanged(
        go,
        &[
            "type a struct {\n\tb func(c int) struct{}\n}\n",
            "type a interface {\n\tb()\n}\n",
            "func a() { b\n",
        ],
    );
}

#[test]
fn bodies_of_rust() {
    check(
        rust,
        &[
            (
                "fn a<'a>(b: &'a str) -> char { '}' }",
                "fn a<'a>(b: &'a str) -> char {}",
            ),
            ("fn a() { r#\"}\"#; \"}\n\"; b'}' }", "fn a() {⏎}"),
            ("fn a() { /* /* } */ } */ }", "fn a() {}"),
            (
                "fn a<T>() -> T\nwhere\n    T: B,\n{\n    c\n}\n",
                "fn a<T>() -> T⏎where⏎    T: B,⏎{⏎⏎}⏎",
            ),
            (
                "impl A {\n    fn b(&self) -> [u8; 2] { c }\n}",
                "impl A {⏎    fn b(&self) -> [u8; 2] {}⏎}",
            ),
            ("fn a() -> A<{ B + 1 }> { c }", "fn a() -> A<{ B + 1 }> {}"),
            (
                "trait A { fn b(&self); fn c(&self) { d } }",
                "trait A { fn b(&self); fn c(&self) {} }",
            ),
        ],
    );
    unchanged(
        rust,
        &[
            "type A = fn(u8) -> u8;\nstruct B { c: u8 }",
            "macro_rules! a { ($b:ident) => { fn c() { d } }; }",
            "struct A { b: fn(u8) -> u8, c: u8 }",
        ],
    );
}

#[test]
fn bodies_of_java() {
    check(
        java,
        &[
            (
                "class A { @B({1, 2}) int c(int d) throws E { return '}'; } }",
                "class A { @B({1, 2}) int c(int d) throws E {} }",
            ),
            (
                "class A { A() { b = \"\"\"\n}\"\"\"; } }",
                "class A { A() {⏎} }",
            ),
            ("enum A { B(1) { int c() { d; } }; }", "enum A { B(1) {}; }"),
        ],
    );
    unchanged(
        java,
        &[
            "record A(int b) { static int c; }",
            "interface A { int b(); }",
            "@A(b) class C { int d; }",
        ],
    );
}

#[test]
fn lines_of_kotlin() {
    check(
        kotlin,
        &[
            (
                "class A {\n  companion object { fun of() = A() }\n  fun b() = 1\n}\n",
                "class A {⏎  companion object { fun of() = A(); }⏎  fun b() = 1⏎}⏎",
            ),
            (
                "object A { class B { val c = \"}\" } }",
                "object A { class B { val c = \"}\"; }; }",
            ),
        ],
    );
    unchanged(
        kotlin,
        &[
            "class A {\n  fun b() {}\n}\n",
            "class A { fun b() {}; }",
            "val a = \"\"\"{ b }\"\"\"\n/* { /* */ c } */",
            "val a = { b -> }",
        ],
    );
}

#[test]
fn bodies_of_python() {
    check(
        python,
        &[
            (
                "def a():\n    b\n    c\nd = 1\n",
                "def a():⏎    ⏎    pass⏎d = 1⏎",
            ),
            (
                "class A:\n\tasync def b(self,\n\t\tc={1: 2}):\n\t\t'''Says.'''\n\t\td\n\n\t\te(\n)\n\n\tf = 1\n",
                "class A:⏎\tasync def b(self,⏎\t\tc={1: 2}):⏎\t\t'''Says.'''⏎⏎⏎⏎\t\tpass⏎⏎\tf = 1⏎",
            ),
            (
                "def a():\n    # Why.\n    b = '''\ndef c():\n'''\n    if b:\n        d\n# e\nf = 1",
                "def a():⏎    # Why.⏎    ⏎⏎⏎⏎    pass⏎# e⏎f = 1",
            ),
            (
                "def a():\n  if b:\n    c # No.\n    # Says.\n    @d\n    def e():\n      f\n      g\n    h\n",
                "def a():⏎  ⏎⏎  # Says.⏎  @d⏎  def e():⏎      ⏎      pass⏎  pass⏎",
            ),
            (
                "def a():\n  def b(): pass\n  @d\n  class C:\n    D = 1\n    def e(self):\n      f\n      g\n  h",
                "def a():⏎  def b(): pass⏎⏎⏎⏎⏎⏎⏎  pass",
            ),
        ],
    );
    unchanged(
        python,
        &[
            "def a(): return 1\nb = 2\n",
            "def a():\n    '''Says.'''\nb = 2\n",
            "def a():\n    b = (\n    c\n\ndef d():\n    e\n    f\n",
            "defs = 1\n",
        ],
    );
}

#[test]
fn what_never_ends_costs_no_more_than_its_length() {
    for (outline, piece) in [
        (c as Outline, "int a() {\n"),
        (c, "#if A\nint a = {"),
        (go, "\nfunc a() {"),
        (rust, "fn a() {"),
        (java, "int a() {"),
        (python, "def a():\n b = (\n"),
    ] {
        let source = piece.repeat(200_000);
        let mut out = Outlined::default();
        assert!(!outline(source.as_bytes(), &mut out), "{piece}");
    }
}
