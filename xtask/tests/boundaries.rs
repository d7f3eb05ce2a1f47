//! The map of `docs/ARCHITECTURE.md` kept by a test: who may name what, and in which direction crates depend.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A dependency of one of our packages, as written in its manifest.
struct Edge {
    from: String,
    to: String,
    dev: bool,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn edges() -> Vec<Edge> {
    let done = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let metadata: Value = serde_json::from_slice(&done.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut edges = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        for dependency in package["dependencies"].as_array().unwrap() {
            edges.push(Edge {
                from: text(&package["name"]),
                to: text(&dependency["name"]),
                dev: dependency["kind"] == "dev",
            });
        }
    }
    assert!(edges.len() > 50, "the manifests were not read");
    edges
}

#[test]
fn a_library_is_named_only_by_the_crate_that_owns_it() {
    let owners: &[(&[&str], &[&str])] = &[
        (&["sqlx"], &["store"]),
        (&["genai", "lettre", "reqwest"], &["engine"]),
        (
            &[
                "axum",
                "tower-sessions",
                "tower-http",
                "utoipa-axum",
                "leptos_axum",
                "clap",
                "rmcp",
            ],
            &["server"],
        ),
        // The document comes from the very types that are serialised, wherever they are.
        (&["utoipa"], &["domain", "engine", "server"]),
        (&["leptos"], &["app", "app-wasm", "server"]),
        (&["wasm-bindgen", "web-sys"], &["app", "app-wasm"]),
    ];
    let mut wrong = Vec::new();
    for edge in edges() {
        for (libraries, crates) in owners {
            // The tests of the server speak HTTP to it, as its users do.
            let by_a_client = edge.from == "server" && edge.dev && edge.to == "reqwest";
            if libraries.contains(&&*edge.to) && !crates.contains(&&*edge.from) && !by_a_client {
                wrong.push(format!("{} names {}", edge.from, edge.to));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn crates_depend_downwards_only() {
    let below: &[(&str, &[&str])] = &[
        ("domain", &[]),
        ("app", &["domain"]),
        ("app-wasm", &["app"]),
        ("store", &["domain"]),
        ("engine", &["store", "domain"]),
        ("server", &["app", "engine", "store", "domain"]),
        ("xtask", &[]),
        ("bindgen", &[]),
        ("train", &["domain"]),
    ];
    let mut wrong = Vec::new();
    for edge in edges().iter().filter(|edge| !edge.dev) {
        let ours = below.iter().any(|(name, _)| *name == edge.to);
        let (_, allowed) = below
            .iter()
            .find(|(name, _)| *name == edge.from)
            .unwrap_or_else(|| panic!("{} is new: say here what it may depend on", edge.from));
        if ours && !allowed.contains(&&*edge.to) {
            wrong.push(format!("{} depends on {}", edge.from, edge.to));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn the_rules_do_no_io() {
    let banned = [
        "tokio",
        "futures",
        "sqlx",
        "axum",
        "reqwest",
        "leptos",
        "getrandom",
        "rand",
        "tracing",
    ];
    let wrong: Vec<String> = edges()
        .into_iter()
        .filter(|edge| edge.from == "domain" && !edge.dev && banned.contains(&&*edge.to))
        .map(|edge| edge.to)
        .collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn only_the_server_reads_the_environment() {
    let mut wrong = Vec::new();
    for krate in [
        "app/src",
        "server/crates/domain/src",
        "server/crates/store/src",
        "server/crates/engine/src",
    ] {
        for file in rust_files(&root().join(krate)) {
            let text = fs::read_to_string(&file).unwrap();
            // Tests may ask where the test database is; they are the end of a file, or a file of their own.
            let own = text.split("#[cfg(test)]").next().unwrap_or_default();
            let for_tests = text.contains("#![cfg(test)]")
                || file
                    .file_stem()
                    .is_some_and(|stem| stem == "tests" || stem == "testing");
            if !for_tests
                && ["env::var", "env::vars", "env::var_os"]
                    .iter()
                    .any(|call| own.contains(call))
            {
                wrong.push(file.display().to_string());
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn both_databases_have_the_same_migrations() {
    let names = |folder: &str| -> BTreeSet<String> {
        fs::read_dir(root().join("migrations").join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    };
    assert_eq!(names("sqlite"), names("postgres"));
}

// E1
#[test]
fn the_application_stands_on_the_libraries_and_folders_that_were_asked_for() {
    let edges = edges();
    for (from, to) in [
        ("server", "axum"),
        ("app", "leptos"),
        ("store", "sqlx"),
        ("server", "tokio"),
        ("server", "tower-sessions"),
        ("domain", "serde"),
        ("engine", "askama"),
        ("server", "tracing"),
        ("domain", "chrono"),
    ] {
        let stands = |edge: &Edge| !edge.dev && edge.from == from && edge.to == to;
        assert!(edges.iter().any(stands), "{from} does not use {to}");
    }
    let asked = [
        "Cargo.toml",
        "README.md",
        "app",
        "end2end",
        "migrations",
        "server",
        "style",
    ];
    let others = [
        (".cargo", "the alias `cargo xtask`"),
        (".ci", "what runs in CI"),
        (".git", "the history"),
        (".gitignore", "what is no part of it"),
        ("CONTRIBUTING.md", "how to add a part"),
        ("Cargo.lock", "the versions that were tested"),
        ("LICENSE", "what may be done with it"),
        ("clients", "libraries for agents in other languages"),
        ("clippy.toml", "what the rules may not read"),
        ("docs", "what is too long for the README"),
        ("xtask", "the tooling"),
    ];
    let ignored = fs::read_to_string(root().join(".gitignore")).unwrap();
    let ignored: BTreeSet<&str> = ignored
        .lines()
        .map(|line| line.trim_start_matches('/'))
        .collect();
    let found: BTreeSet<String> = fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in asked {
        assert!(found.contains(name), "{name} is missing");
    }
    let unexplained: Vec<&String> = found
        .iter()
        .filter(|name| {
            let name = name.as_str();
            let explained = others.iter().any(|(other, _)| *other == name);
            !asked.contains(&name) && !explained && !ignored.contains(name)
        })
        .collect();
    assert!(
        unexplained.is_empty(),
        "say here why it lies at the top: {unexplained:?}"
    );
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    files
}
