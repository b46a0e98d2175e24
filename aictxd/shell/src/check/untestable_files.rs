//! Files that no test looks at.

/// Returns true if no test looks at a file, by its name: prose, pictures, what is for git and for whoever hosts it.
pub fn is_untested(path: &str) -> bool {
    const ENDS: &[&str] = &[
        ".md", ".mdx", ".rst", ".txt", ".adoc", ".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp",
        ".ico", ".pdf",
    ];
    const NAMES: &[&str] = &[
        "license",
        "licence",
        "changelog",
        "authors",
        "contributors",
        "codeowners",
        "notice",
        "readme",
        ".gitignore",
        ".gitattributes",
        ".gitmodules",
        ".mailmap",
        ".editorconfig",
        ".dockerignore",
    ];
    // They say what is needed, or how to build.
    const SETTINGS: &[&str] = &["requirements", "constraints", "cmakelists"];
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    if SETTINGS.iter().any(|start| name.starts_with(start)) {
        return false;
    }
    ENDS.iter().any(|end| name.ends_with(end))
        || NAMES.contains(&name)
        || lower.starts_with("docs/") && !name.ends_with(".py")
        || lower.starts_with(".github/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_told_from_what_is_built() {
        for path in [
            "README.md",
            "docs/a.html",
            "a/logo.svg",
            "LICENSE",
            ".github/workflows/ci.yml",
            "a/.gitignore",
            "NOTES.txt",
        ] {
            assert!(is_untested(path), "{path}");
        }
        for path in [
            "a.py",
            "requirements.txt",
            "requirements-dev.txt",
            "CMakeLists.txt",
            "docs/conf.py",
            "pyproject.toml",
            "docs2/a.ts",
            "schema.sql",
        ] {
            assert!(!is_untested(path), "{path}");
        }
    }
}
