//! The shared vectors on the Rust host: every case declared for it, none skipped.
//!
//! `FIRSTSEEN_GENERATED` names a folder of generated scenario files, which are run too.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod conformance {
    pub(crate) mod metrics;
    pub(crate) mod payloads;
    pub(crate) mod plans;
    pub(crate) mod replay;
    pub(crate) mod sequences;
    pub(crate) mod values;
}

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use conformance::replay::{run, Case};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    hosts: BTreeMap<String, usize>,
    files: BTreeMap<String, usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VectorFile {
    kind: String,
    #[serde(rename = "stage")]
    _stage: String,
    #[serde(rename = "about")]
    _about: String,
    count: usize,
    cases: Vec<Case>,
}

/// How many cases of a file ran; panics with every failure.
fn run_file(path: &Path, failures: &mut Vec<String>) -> (usize, usize) {
    let text = std::fs::read_to_string(path).expect("a vector file can be read");
    let file: VectorFile = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{} is malformed: {error}", path.display()));
    assert_eq!(file.count, file.cases.len(), "{}", path.display());
    let mut ran = 0;
    for case in &file.cases {
        if !case.for_rust() {
            continue;
        }
        ran += 1;
        if let Err(message) = run(&file.kind, case) {
            failures.push(format!("{}: {}: {message}", path.display(), case.name));
        }
    }
    (ran, file.count)
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "json"))
        .collect();
    files.sort();
    files
}

#[test]
fn the_rust_host_agrees_with_every_vector() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors");
    let manifest = std::fs::read_to_string(vectors.join("manifest.json")).unwrap();
    let manifest: Manifest = serde_json::from_str(&manifest).expect("the manifest is well formed");
    let mut failures = Vec::new();
    let mut ran = 0;
    for (name, count) in &manifest.files {
        let (ran_here, declared) = run_file(&vectors.join(name), &mut failures);
        assert_eq!(
            declared, *count,
            "{name} has as many cases as the manifest says"
        );
        ran += ran_here;
    }
    assert_eq!(
        ran, manifest.hosts["rust"],
        "every case declared for this host ran"
    );
    if let Ok(folder) = std::env::var("FIRSTSEEN_GENERATED") {
        let files = json_files(Path::new(&folder));
        assert!(!files.is_empty(), "{folder} holds generated scenarios");
        for path in files {
            let (ran_here, declared) = run_file(&path, &mut failures);
            assert_eq!(ran_here, declared, "{} runs whole", path.display());
            ran += ran_here;
        }
    }
    println!(
        "rust: {} passed, {} failed",
        ran - failures.len(),
        failures.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
