//! Limits in sentences beside mere mentions: why, until when, and of whom something is said.

use super::*;
use crate::path_limits::covers;

fn say(message: &str) -> SteerReply {
    let params = SteerParams {
        message: message.to_owned(),
        ..SteerParams::default()
    };
    // A repository that has tests.
    steer_in(&params, &|word| word == "tests").unwrap()
}

fn forbidden(message: &str) -> Vec<String> {
    say(message).suggested_updates.forbidden_paths
}

#[test]
fn what_says_until_when_or_why_is_no_limit_itself() {
    for message in [
        "Don't touch src/auth.py until the tests pass",
        "Don't touch src/auth.py before the tests are green",
        "Don't touch src/auth.py while the tests are running",
        "Until the tests pass don't touch src/auth.py",
        "Don't touch src/auth.py because config/prod.yaml depends on it",
        "Leave src/auth.py alone since config/prod.yaml needs it",
        "Don't edit src/auth.py when you update src/main.py",
        "src/auth.py is off limits until src/main.py is merged",
        "No toques src/auth.py hasta que pasen los tests",
        "No toques src/auth.py mientras fallen los tests",
        "No toques src/auth.py porque config/prod.yaml depende de él",
        "Ne touche pas à src/auth.py tant que les tests ne passent pas",
        "Ne touche pas à src/auth.py avant que les tests passent",
        "Ne touche pas à src/auth.py parce que config/prod.yaml en dépend",
        "Fass src/auth.py nicht an, bis die Tests laufen",
        "Fass src/auth.py nicht an bevor die Tests grün sind",
        "Fass src/auth.py nicht an, weil config/prod.yaml davon abhängt",
        "Não mexa em src/auth.py até os testes passarem",
        "Não mexa em src/auth.py porque config/prod.yaml depende dele",
        "在测试通过之前不要改 src/auth.py",
        "测试通过前不要动 src/auth.py",
        "不要改 src/auth.py，因为 config/prod.yaml 依赖它",
        "テストが通るまで src/auth.py は触らないで",
        "config/prod.yaml が依存しているので src/auth.py は触らないで",
    ] {
        assert_eq!(forbidden(message), ["src/auth.py"], "{message}");
    }
    for (message, both) in [
        ("Don't touch the tests or src/auth.py until I say so", 2),
        (
            "Don't touch src/auth.py and src/main.py because they are frozen",
            2,
        ),
        ("no toques src/auth.py ni src/main.py hasta que te avise", 2),
        (
            "fass src/auth.py und src/main.py nicht an, bis ich es sage",
            2,
        ),
        ("src/auth.py と src/main.py は触らないで", 2),
        ("Don't touch the tests until src/auth.py is done", 1),
        ("Don't touch the tests", 1),
    ] {
        assert_eq!(forbidden(message).len(), both, "{message}");
    }
}

#[test]
fn an_ending_is_all_files_that_end_so() {
    for (message, limit) in [
        ("don't edit any .md files", "**/*.md"),
        ("Never touch .sql files", "**/*.sql"),
        ("leave the .yaml files alone", "**/*.yaml"),
        ("don't modify .test.ts files", "**/*.test.ts"),
        ("no toques los archivos .sql", "**/*.sql"),
        ("ne touche pas aux fichiers .md", "**/*.md"),
        ("fass keine .md Dateien an", "**/*.md"),
        ("fass keine .md-Dateien an", "**/*.md"),
        ("não mexa nos arquivos .sql", "**/*.sql"),
        ("不要改 .md 文件", "**/*.md"),
        (".sql ファイルは触らないで", "**/*.sql"),
        ("don't touch .env", ".env"),
        ("leave .gitignore alone", ".gitignore"),
        ("don't edit .eslintrc.json", ".eslintrc.json"),
        ("no toques .env", ".env"),
        ("don't touch .github/workflows", ".github/workflows"),
        ("don't touch *.md", "*.md"),
    ] {
        assert_eq!(forbidden(message), [limit], "{message}");
    }
    let covers = |path: &str| covers("**/*.md", &RepoPath::parse(path).unwrap());
    assert!(covers("README.md") && covers("docs/a/b.md") && !covers("src/a.rs"));
}

/// Conditions of being done limit no files.
#[test]
fn what_has_to_pass_before_the_work_is_done_limits_nothing() {
    for message in [
        "no lo des por hecho hasta que pasen los tests",
        "no lo des por terminado hasta que pasen los tests",
        "don't call it done until the tests pass",
        "não dê por concluído até os testes passarem",
    ] {
        let reply = say(message);
        assert_eq!(reply.classification, "validation_change", "{message}");
        let updates = reply.suggested_updates;
        assert_eq!(updates.skip_validation, Some(false), "{message}");
        assert!(updates.forbidden_paths.is_empty(), "{message}");
    }
}

#[test]
fn a_directory_is_the_whole_scope_however_it_is_called_one() {
    for (message, want) in [
        ("only touch the tests folder", "tests"),
        ("just edit the tests directory", "tests"),
        ("only touch the test files", "tests"),
        ("leave src/auth alone, only touch the tests folder", "tests"),
        ("the tests folder only", "tests"),
        ("stick to the tests folder", "tests"),
        ("stick to the src folder", "src"),
        ("only the src folder may be changed", "src"),
        ("only the docs directory can be edited", "docs"),
        ("only the src folder is to be changed", "src"),
        ("testsフォルダだけ触って", "tests"),
    ] {
        let updates = say(message).suggested_updates;
        assert_eq!(updates.only_paths, [want], "{message}");
    }
    // Which tests run, and how something works.
    for message in [
        "only run the tests folder",
        "just run the tests in the tests folder",
        "only drafts may be edited",
        "only files in uploads can be edited by their owner",
        "relax, it's just a test file",
        "this is only a test file",
        "there is just one test file",
        "those are just test files",
        "I only see the tests folder",
        "the tests are only in the tests folder",
    ] {
        let updates = say(message).suggested_updates;
        assert!(updates.only_paths.is_empty(), "{message}");
    }
}
