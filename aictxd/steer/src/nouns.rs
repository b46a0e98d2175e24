//! Nouns for what a repository has under another name: directories in languages other than that of their names, and
//! lock files.

use super::clause::Clause;
use super::word_class::Class;

/// Usual directories, and what people call them, without accents.
const DIRECTORIES: &[(&str, &[&str])] = &[
    (
        "migrations",
        &[
            "migraciones",
            "migracoes",
            "migrationen",
            "migrazioni",
            "migraties",
            "migracions",
            "migracje",
            "migracji",
            "миграции",
            "миграций",
            "міграції",
            "міграцій",
            "migrasyonlar",
            "migrasyonlara",
            "迁移",
            "マイグレーション",
            "마이그레이션",
        ],
    ),
    (
        "docs",
        &[
            "documentacion",
            "documentacao",
            "dokumentation",
            "documentazione",
            "documentatie",
            "documentacio",
            "dokumentacja",
            "dokumentacji",
            "документация",
            "документацию",
            "документацію",
        ],
    ),
    (
        "config",
        &[
            "configuracion",
            "configuracao",
            "konfiguration",
            "configurazione",
            "configuratie",
            "configuracio",
            "konfiguracja",
            "konfiguracji",
            "конфигурация",
            "конфигурацию",
            "конфігурацію",
        ],
    ),
    (
        "examples",
        &[
            "ejemplos",
            "exemplos",
            "exemples",
            "beispiele",
            "esempi",
            "voorbeelden",
            "przyklady",
            "примеры",
            "приклади",
        ],
    ),
    (
        "templates",
        &[
            "plantillas",
            "vorlagen",
            "gabarits",
            "sjablonen",
            "szablony",
            "шаблоны",
            "шаблони",
        ],
    ),
    ("scripts", &["skripte", "skripten", "скрипты", "скрипти"]),
    (
        "tools",
        &[
            "herramientas",
            "ferramentas",
            "outils",
            "werkzeuge",
            "strumenti",
            "narzedzia",
        ],
    ),
    (
        "components",
        &[
            "componentes",
            "composants",
            "komponenten",
            "componenti",
            "componenten",
        ],
    ),
];

/// The directory that a word of another language stands for. `exists` knows what lies at the root of the worktree;
/// migrations mostly lie deeper, and the word means nothing else.
pub(super) fn directory(word: &str, exists: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    let names = |(_, words): &&(&str, &[&str])| words.contains(&word);
    let (directory, _) = DIRECTORIES.iter().find(names)?;
    let is_there = *directory == "migrations" || exists(directory);
    (is_there && !exists(word)).then_some(*directory)
}

/// Name in a limit for the lock files of all package managers.
pub(super) const LOCK_FILES: &str = "lockfile";

/// Returns true if the word at `at` means the lock files: "the lockfile", "the lock files".
pub(super) fn is_lock_file(clause: &Clause, at: usize) -> bool {
    let text = |at: usize| {
        clause
            .items
            .get(at)
            .map(|i| (i.text.as_str(), i.has(Class::Dir)))
    };
    match text(at) {
        Some(("lockfile" | "lockfiles" | "lock-file" | "lock-files", _)) => true,
        Some(("lock", _)) => matches!(text(at + 1), Some(("file" | "files", true))),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use aictx_proto::methods::SteerParams;

    fn limits(message: &str) -> Vec<String> {
        let params = SteerParams {
            message: message.to_owned(),
            ..SteerParams::default()
        };
        let reply = crate::steer(&params).unwrap();
        reply.suggested_updates.forbidden_paths
    }

    #[test]
    fn a_noun_of_another_language_is_the_directory() {
        for message in [
            "No toques las migraciones",
            "no toques las migraciones de la base de datos",
            "Fass die Migrationen nicht an",
            "Bitte die Migrationen nicht ändern",
            "ne touche pas aux migrations",
            "não mexa nas migrações",
            "Не трогай миграции",
            "不要动迁移",
        ] {
            assert_eq!(limits(message), ["migrations"], "{message}");
        }
        for message in [
            // Nobody knows of such directories here.
            "no cambies la configuración",
            "no cambies los ejemplos",
            // No limits.
            "añade migraciones para usuarios",
            "explica las migraciones",
            "no hace falta que expliques las migraciones",
        ] {
            assert!(limits(message).is_empty(), "{message}");
        }
    }

    #[test]
    fn lock_files_are_off_limits_by_their_kind() {
        for message in [
            "I'd rather you didn't change the lockfile",
            "don't touch the lock files",
            "Please leave the lockfile alone",
            "no toques el lockfile",
        ] {
            assert_eq!(limits(message), ["lockfile"], "{message}");
        }
        for message in [
            "add a lockfile",
            "don't change the lock timeout",
            "don't hold the lock",
            "update the lockfile",
        ] {
            assert!(limits(message).is_empty(), "{message}");
        }
    }
}
