//! How definitions look in languages that are read line by line.

use crate::facts::Kind;

use super::lines::Patterns;

const C_COMMENTS: &[&str] = &["//", "/*", "*"];

/// SQL of any dialect: what is created.
pub(super) static SQL: Patterns = Patterns {
    modifiers: &[
        "create",
        "or replace",
        "or alter",
        "temporary",
        "temp",
        "unlogged",
        "unique",
        "external",
        "global",
        "local",
        "definer",
        "recursive",
        "if not exists",
        "constraint",
        "materialized",
    ],
    name: ".$\"`",
    any_case: true,
    needs_modifier: true,
    ..Patterns::new(
        &["--", "/*", "*"],
        &[
            ("table if not exists", Kind::Section),
            ("view if not exists", Kind::Section),
            ("index if not exists", Kind::Section),
            ("schema if not exists", Kind::Section),
            ("table", Kind::Section),
            ("view", Kind::Section),
            ("index", Kind::Section),
            ("sequence", Kind::Section),
            ("schema", Kind::Module),
            ("database", Kind::Module),
            ("function", Kind::Function),
            ("procedure", Kind::Function),
            ("trigger", Kind::Function),
            ("type", Kind::Type),
            ("domain", Kind::Type),
            ("extension", Kind::Section),
        ],
    )
};

pub(super) static GRAPHQL: Patterns = Patterns {
    modifiers: &["extend"],
    other: Some(graphql_field),
    ..Patterns::new(
        &["#", "\"\"\""],
        &[
            ("type", Kind::Struct),
            ("input", Kind::Struct),
            ("interface", Kind::Interface),
            ("enum", Kind::Enum),
            ("union", Kind::Type),
            ("scalar", Kind::Type),
            ("directive @", Kind::Macro),
            ("query", Kind::Function),
            ("mutation", Kind::Function),
            ("subscription", Kind::Function),
            ("fragment", Kind::Section),
        ],
    )
};

/// `name(…): Type` and `name: Type`, indented.
fn graphql_field(line: &str) -> Option<(&str, Kind)> {
    let end = line.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    let name = line.get(..end)?;
    let rest = line.get(end..)?;
    let field = rest.starts_with(": ") || rest.starts_with('(') && rest.contains("): ");
    (field && !name.is_empty()).then_some((name, Kind::Variable))
}

pub(super) static PERL: Patterns = Patterns {
    imports: &["use", "require"],
    name: ":",
    ..Patterns::new(
        &["#"],
        &[
            ("sub", Kind::Function),
            ("package", Kind::Module),
            ("method", Kind::Method),
        ],
    )
};

pub(super) static ERLANG: Patterns = Patterns {
    imports: &["-include", "-include_lib", "-import"],
    other: Some(erlang_function),
    ..Patterns::new(
        &["%"],
        &[
            ("-module(", Kind::Module),
            ("-record(", Kind::Struct),
            ("-define(", Kind::Macro),
            ("-type", Kind::Type),
            ("-opaque", Kind::Type),
            ("-callback", Kind::Interface),
        ],
    )
};

/// `name(…) ->`; clauses that follow are told apart by the reader.
fn erlang_function(line: &str) -> Option<(&str, Kind)> {
    let (name, rest) = line.split_once('(')?;
    let head = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (head && (rest.contains("->") || rest.trim_end().ends_with(',')))
        .then_some((name, Kind::Function))
}

const LISP_NAME: &str = "-?!*+/<>=.:";

pub(super) static CLOJURE: Patterns = Patterns {
    name: LISP_NAME,
    ..Patterns::new(
        &[";"],
        &[
            ("(ns", Kind::Module),
            ("(defn-", Kind::Function),
            ("(defn ^:private", Kind::Function),
            ("(defn", Kind::Function),
            ("(defmacro", Kind::Macro),
            ("(defmulti", Kind::Function),
            ("(defmethod", Kind::Method),
            ("(defprotocol", Kind::Interface),
            ("(defrecord", Kind::Struct),
            ("(deftype", Kind::Struct),
            ("(deftest", Kind::Test),
            ("(defonce", Kind::Variable),
            ("(def ^:dynamic", Kind::Variable),
            ("(def", Kind::Variable),
        ],
    )
};

pub(super) static LISP: Patterns = Patterns {
    name: LISP_NAME,
    ..Patterns::new(
        &[";"],
        &[
            ("(defpackage", Kind::Module),
            ("(defun", Kind::Function),
            ("(cl-defun", Kind::Function),
            ("(defmacro", Kind::Macro),
            ("(define-syntax", Kind::Macro),
            ("(defgeneric", Kind::Function),
            ("(defmethod", Kind::Method),
            ("(cl-defmethod", Kind::Method),
            ("(defclass", Kind::Class),
            ("(cl-defstruct", Kind::Struct),
            ("(defstruct", Kind::Struct),
            ("(struct", Kind::Struct),
            ("(defvar", Kind::Variable),
            ("(defparameter", Kind::Variable),
            ("(defcustom", Kind::Variable),
            ("(defconst", Kind::Constant),
            ("(defconstant", Kind::Constant),
            ("(ert-deftest", Kind::Test),
            ("(define (", Kind::Function),
            ("(define", Kind::Variable),
        ],
    )
};

pub(super) static NIM: Patterns = Patterns {
    imports: &["import", "include", "from"],
    name: "`",
    other: Some(nim_type),
    ..Patterns::new(
        &["#"],
        &[
            ("proc", Kind::Function),
            ("func", Kind::Function),
            ("method", Kind::Method),
            ("iterator", Kind::Function),
            ("converter", Kind::Function),
            ("template", Kind::Macro),
            ("macro", Kind::Macro),
        ],
    )
};

/// `Name* = object`, in a section of types.
fn nim_type(line: &str) -> Option<(&str, Kind)> {
    let (name, value) = line.split_once(" = ")?;
    let name = name.trim_end_matches('*');
    let value = value.strip_prefix("ref ").unwrap_or(value);
    let kind = match value.split_whitespace().next()? {
        "object" | "tuple" => Kind::Struct,
        "enum" => Kind::Enum,
        "distinct" => Kind::Type,
        _ => return None,
    };
    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (plain && !name.is_empty()).then_some((name, kind))
}

pub(super) static POWERSHELL: Patterns = Patterns {
    imports: &["import-module", "using module", "."],
    name: "-:",
    any_case: true,
    ..Patterns::new(
        &["#", "<#"],
        &[
            ("function", Kind::Function),
            ("filter", Kind::Function),
            ("class", Kind::Class),
            ("enum", Kind::Enum),
            ("describe", Kind::Test),
        ],
    )
};

pub(super) static GROOVY: Patterns = Patterns {
    modifiers: &[
        "public",
        "private",
        "protected",
        "static",
        "final",
        "abstract",
        "@CompileStatic",
    ],
    imports: &["import", "apply plugin:", "apply from:"],
    name: "$",
    ..Patterns::new(
        C_COMMENTS,
        &[
            ("class", Kind::Class),
            ("interface", Kind::Interface),
            ("trait", Kind::Trait),
            ("enum", Kind::Enum),
            ("def", Kind::Function),
            ("void", Kind::Function),
            ("task", Kind::Entrypoint),
            ("tasks.register(", Kind::Entrypoint),
            ("stage(", Kind::Entrypoint),
            ("package", Kind::Module),
        ],
    )
};

pub(super) static OBJECTIVE_C: Patterns = Patterns {
    imports: &["#import", "#include", "@import"],
    end: "@end",
    other: Some(objective_c),
    ..Patterns::new(
        C_COMMENTS,
        &[
            ("@interface", Kind::Class),
            ("@implementation", Kind::Class),
            ("@protocol", Kind::Interface),
            ("#define", Kind::Macro),
            ("struct", Kind::Struct),
        ],
    )
};

/// `- (void)name:(…)…` and functions of C.
fn objective_c(line: &str) -> Option<(&str, Kind)> {
    let Some(rest) = line.strip_prefix(['-', '+']) else {
        return super::lines::c_function(line);
    };
    let rest = rest.trim_start().strip_prefix('(')?;
    let (_, rest) = rest.split_once(')')?;
    let rest = rest.trim_start();
    let end = rest
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(rest.len());
    let name = rest.get(..end)?;
    (!name.is_empty()).then_some((name, Kind::Method))
}

pub(super) static FISH: Patterns = Patterns {
    imports: &["source"],
    name: "-",
    ..Patterns::new(&["#"], &[("function", Kind::Function)])
};

pub(super) static FSHARP: Patterns = Patterns {
    modifiers: &[
        "rec", "inline", "private", "internal", "mutable", "abstract", "static", "override",
    ],
    imports: &["open", "#load"],
    name: ".'",
    ..Patterns::new(
        &["//", "(*"],
        &[
            ("namespace", Kind::Module),
            ("module rec", Kind::Module),
            ("module", Kind::Module),
            ("type", Kind::Type),
            ("and", Kind::Type),
            ("exception", Kind::Type),
            ("let rec", Kind::Function),
            ("let inline", Kind::Function),
            ("let private", Kind::Function),
            ("let", Kind::Function),
            ("member this.", Kind::Method),
            ("member _.", Kind::Method),
            ("member", Kind::Method),
        ],
    )
};

pub(super) static FORTRAN: Patterns = Patterns {
    modifiers: &[
        "pure",
        "elemental",
        "recursive",
        "integer",
        "real",
        "logical",
        "double precision",
        "character",
        "complex",
        "impure",
    ],
    imports: &["use", "include"],
    any_case: true,
    ..Patterns::new(
        &["!", "c "],
        &[
            ("program", Kind::Entrypoint),
            ("module procedure", Kind::Function),
            ("module", Kind::Module),
            ("submodule", Kind::Module),
            ("subroutine", Kind::Function),
            ("function", Kind::Function),
            ("type ::", Kind::Struct),
            ("interface", Kind::Interface),
        ],
    )
};

pub(super) static SOLIDITY: Patterns = Patterns {
    modifiers: &["abstract"],
    imports: &["import"],
    ..Patterns::new(
        C_COMMENTS,
        &[
            ("contract", Kind::Class),
            ("library", Kind::Module),
            ("interface", Kind::Interface),
            ("struct", Kind::Struct),
            ("enum", Kind::Enum),
            ("function", Kind::Function),
            ("modifier", Kind::Function),
            ("event", Kind::Variable),
            ("error", Kind::Type),
        ],
    )
};

pub(super) static NIX: Patterns = Patterns {
    imports: &["import"],
    other: Some(nix_binding),
    ..Patterns::new(&["#"], &[])
};

/// `name = …` at the start of a line.
fn nix_binding(line: &str) -> Option<(&str, Kind)> {
    let (name, value) = line.split_once(" = ")?;
    let plain = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\''));
    let function = value.contains(": ") || value.ends_with(':');
    let kind = if function {
        Kind::Function
    } else {
        Kind::ConfigKey
    };
    (plain && !name.is_empty()).then_some((name, kind))
}

pub(super) static VIM: Patterns = Patterns {
    imports: &["source", "runtime"],
    name: ":#",
    ..Patterns::new(
        &["\""],
        &[
            ("function!", Kind::Function),
            ("function", Kind::Function),
            ("def", Kind::Function),
            ("command!", Kind::Entrypoint),
        ],
    )
};

pub(super) static PASCAL: Patterns = Patterns {
    modifiers: &["class"],
    imports: &["uses"],
    name: ".",
    any_case: true,
    ..Patterns::new(
        &["//", "{", "(*"],
        &[
            ("unit", Kind::Module),
            ("program", Kind::Entrypoint),
            ("procedure", Kind::Function),
            ("function", Kind::Function),
            ("constructor", Kind::Function),
            ("destructor", Kind::Function),
        ],
    )
};

pub(super) static TCL: Patterns = Patterns {
    imports: &["source", "package require"],
    name: ":",
    ..Patterns::new(
        &["#"],
        &[("proc", Kind::Function), ("namespace eval", Kind::Module)],
    )
};

pub(super) static AWK: Patterns = Patterns {
    imports: &["@include"],
    ..Patterns::new(
        &["#"],
        &[("function", Kind::Function), ("func", Kind::Function)],
    )
};

pub(super) static ELM: Patterns = Patterns {
    imports: &["import"],
    name: ".",
    other: Some(elm_type),
    ..Patterns::new(
        &["--", "{-"],
        &[
            ("module", Kind::Module),
            ("port module", Kind::Module),
            ("type alias", Kind::Type),
            ("type", Kind::Enum),
            ("port", Kind::Function),
        ],
    )
};

/// `name : Type`.
fn elm_type(line: &str) -> Option<(&str, Kind)> {
    let (name, _) = line.split_once(" : ")?;
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    plain.then_some((name, Kind::Function))
}

pub(super) static THRIFT: Patterns = Patterns {
    imports: &["include"],
    ..Patterns::new(
        &["//", "#", "/*", "*"],
        &[
            ("struct", Kind::Struct),
            ("union", Kind::Struct),
            ("exception", Kind::Struct),
            ("enum", Kind::Enum),
            ("service", Kind::Interface),
            ("typedef", Kind::Type),
            ("const", Kind::Constant),
        ],
    )
};
