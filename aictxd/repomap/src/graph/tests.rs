use super::*;

/// What the file at `path` means by `module`, in a tree of `files` with their contents.
fn meant<'f>(files: &[(&'f str, &str)], path: &str, module: &str) -> Vec<&'f str> {
    let manifests = Manifests::of(files.iter().map(|(p, text)| (*p, text.as_bytes())));
    let resolver = Resolver::new(files.iter().map(|(p, _)| *p), &manifests);
    let language = match path.rsplit('.').next() {
        Some("rs") => "rust",
        Some("go") => "go",
        _ => "typescript",
    };
    let mut found = Vec::new();
    resolver.find(path, language, module, &mut found);
    found.into_iter().map(|f| files[f.0 as usize].0).collect()
}

#[test]
fn crates_go_by_what_manifests_call_them() {
    let files = [
        (
            "Cargo.toml",
            "[workspace.dependencies]\nshort = { path = \"core\", package = \"big-core\" }",
        ),
        ("core/Cargo.toml", "[package]\nname = \"big-core\"\n"),
        ("core/src/lib.rs", ""),
        ("core/src/io.rs", ""),
        (
            "odd/Cargo.toml",
            "[package]\nname = \"odd\"\n[lib]\nname = \"oddly\"\npath = \"code/start.rs\"\n",
        ),
        ("odd/code/start.rs", ""),
        ("odd/code/part.rs", ""),
        ("util/Cargo.toml", "[package]\nname = \"our-util\"\n"),
        ("util/src/lib.rs", ""),
    ];
    let find = |path, module| meant(&files, path, module);
    assert_eq!(
        find("util/src/lib.rs", "big_core::io::Read"),
        ["core/src/io.rs"]
    );
    assert_eq!(
        find("core/tests/all.rs", "big_core::io"),
        ["core/src/io.rs"]
    );
    assert_eq!(find("util/src/lib.rs", "short::io"), ["core/src/io.rs"]);
    assert_eq!(
        find("util/src/lib.rs", "oddly::part::X"),
        ["odd/code/part.rs"]
    );
    assert_eq!(find("util/src/lib.rs", "oddly::X"), ["odd/code/start.rs"]);
    assert_eq!(find("odd/code/part.rs", "crate::X"), ["odd/code/start.rs"]);
    assert_eq!(
        find("odd/code/start.rs", "self::part"),
        ["odd/code/part.rs"]
    );
    // Another one's crate that happens to end like a directory of ours.
    assert_eq!(find("core/src/lib.rs", "tokio_util::codec"), [""; 0]);
}

#[test]
fn packages_of_go_lie_where_their_module_does() {
    let files = [
        (
            "svc/go.mod",
            "module example.org/svc/v2\nreplace example.org/log => ../shared/log\n",
        ),
        ("svc/api/api.go", ""),
        ("svc/api/api_test.go", ""),
        ("shared/log/log.go", ""),
        ("log/log.go", ""),
        ("tools/go.mod", "module example.org/tools\n"),
        ("tools/tools.go", ""),
    ];
    let find = |module| meant(&files, "svc/main.go", module);
    assert_eq!(find("example.org/svc/v2/api"), ["svc/api/api.go"]);
    assert_eq!(find("example.org/log"), ["shared/log/log.go"]);
    assert_eq!(find("example.org/tools"), ["tools/tools.go"]);
    assert_eq!(find("github.com/other/log"), [""; 0]);
    let library = [("src/go.mod", "module std\n"), ("src/net/url/url.go", "")];
    assert_eq!(
        meant(&library, "src/a/a.go", "net/url"),
        ["src/net/url/url.go"]
    );
}

#[test]
fn packages_and_aliases_of_scripts_are_followed() {
    let files = [
        (
            "package.json",
            r#"{"name": "root", "workspaces": ["packages/*"]}"#,
        ),
        (
            "packages/a/package.json",
            r#"{"name": "@m/a", "main": "dist/index.js"}"#,
        ),
        ("packages/a/src/index.ts", ""),
        ("packages/a/src/deep/x.ts", ""),
        (
            "packages/b/package.json",
            r##"{"name": "b", "exports": {".": "./entry.mjs", "./f/*": "./lib/f/*.js"},
            "imports": {"#own/*": "./lib/*.js"}}"##,
        ),
        ("packages/b/entry.mjs", ""),
        ("packages/b/lib/f/y.js", ""),
        (
            "app/tsconfig.base.json",
            r#"{"compilerOptions": {"baseUrl": "src", "paths": {"~/*": ["ui/*"]}}}"#,
        ),
        (
            "app/tsconfig.json",
            "{ // ours\n\"extends\": \"./tsconfig.base\", }",
        ),
        ("app/src/ui/button.tsx", ""),
        ("app/src/ui/list/index.ts", ""),
        ("app/src/bare.ts", ""),
        (
            "vite/tsconfig.json",
            r#"{"references": [{"path": "./tsconfig.app.json"}]}"#,
        ),
        (
            "vite/tsconfig.app.json",
            r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"], "@": ["./src/main"]}}}"#,
        ),
        ("vite/src/main.ts", ""),
        ("vite/src/z.vue", ""),
    ];
    let find = |path, module| meant(&files, path, module);
    assert_eq!(find("app/src/bare.ts", "@m/a"), ["packages/a/src/index.ts"]);
    assert_eq!(
        find("app/src/bare.ts", "@m/a/deep/x"),
        ["packages/a/src/deep/x.ts"]
    );
    assert_eq!(find("app/src/bare.ts", "b"), ["packages/b/entry.mjs"]);
    assert_eq!(find("app/src/bare.ts", "b/f/y"), ["packages/b/lib/f/y.js"]);
    assert_eq!(
        find("packages/b/entry.mjs", "#own/f/y"),
        ["packages/b/lib/f/y.js"]
    );
    assert_eq!(
        find("app/src/bare.ts", "~/button"),
        ["app/src/ui/button.tsx"]
    );
    assert_eq!(
        find("app/src/bare.ts", "~/list"),
        ["app/src/ui/list/index.ts"]
    );
    assert_eq!(find("app/src/ui/button.tsx", "bare"), ["app/src/bare.ts"]);
    assert_eq!(find("vite/src/main.ts", "@/z"), ["vite/src/z.vue"]);
    assert_eq!(find("vite/src/z.ts", "@"), ["vite/src/main.ts"]);
    for external in ["react", "@m/c", "node:fs", "@other/a", "b-side"] {
        assert_eq!(find("app/src/bare.ts", external), [""; 0], "{external}");
    }
}

#[test]
fn every_language_finds_its_files() {
    let paths = [
        "a/src/lib.rs",
        "a/src/b/mod.rs",
        "a/src/b/c.rs",
        "my-d/src/lib.rs",
        "my-d/src/e.rs",
        "pkg/__init__.py",
        "pkg/f.py",
        "pkg/sub/g.py",
        "web/index.ts",
        "web/h.ts",
        "web/i/index.js",
        "inc/j.h",
        "src/j.c",
        "internal/k/k.go",
        "internal/k/k_test.go",
        "x/src/main/java/com/acme/L.java",
        "lib/acme/m.rb",
    ];
    let manifests = Manifests::default();
    let resolver = Resolver::new(paths.into_iter(), &manifests);
    let find = |path: &str, language: &str, module: &str| {
        let mut found = Vec::new();
        resolver.find(path, language, module, &mut found);
        found
            .into_iter()
            .map(|f| paths[f.0 as usize])
            .collect::<Vec<_>>()
    };
    assert_eq!(
        find("a/src/lib.rs", "rust", "crate::b::c::Thing"),
        ["a/src/b/c.rs"]
    );
    assert_eq!(find("a/src/lib.rs", "rust", "self::b"), ["a/src/b/mod.rs"]);
    assert_eq!(find("a/src/b/c.rs", "rust", "super::*"), ["a/src/b/mod.rs"]);
    assert_eq!(
        find("a/src/lib.rs", "rust", "my_d::e::X"),
        ["my-d/src/e.rs"]
    );
    assert_eq!(find("a/src/lib.rs", "rust", "std::fmt"), [""; 0]);
    assert_eq!(find("pkg/f.py", "python", ".sub.g"), ["pkg/sub/g.py"]);
    assert_eq!(find("pkg/sub/g.py", "python", "..f.name"), ["pkg/f.py"]);
    assert_eq!(find("t.py", "python", "pkg.f.name"), ["pkg/f.py"]);
    assert_eq!(find("web/index.ts", "typescript", "./h.js"), ["web/h.ts"]);
    assert_eq!(
        find("web/index.ts", "typescript", "./i"),
        ["web/i/index.js"]
    );
    assert_eq!(find("web/index.ts", "typescript", "../../up"), [""; 0]);
    assert_eq!(find("src/j.c", "c", "j.h"), ["inc/j.h"]);
    assert_eq!(
        find("a.go", "go", "example.org/n/internal/k"),
        ["internal/k/k.go"]
    );
    assert_eq!(
        find("a.java", "java", "com.acme.L.inner"),
        ["x/src/main/java/com/acme/L.java"]
    );
    assert_eq!(find("a.rb", "ruby", "acme/m"), ["lib/acme/m.rb"]);
}
