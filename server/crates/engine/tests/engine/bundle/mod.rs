//! The two verifiers of exports, in Rust and in Python, on true and on damaged bundles: they must see the same. Neither is written from
//! the other, and the bundles here are made by neither, nor by what writes exports.

pub mod builder;
mod damage;
pub mod story;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use domain::{Timestamp, agent::AgentName, audit::PublicKey, id::UserId, time::Span};
use engine::export::{
    bundle::{self, AsOfLine, Filter, Manifest, Part},
    verify::verify,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use self::{
    builder::{Bundle, INSTANCE, signer, zip},
    damage::Damages,
    story::Story,
};

const PYTHON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/verify.py");

/// Everything, and what is about the first of each agent's people.
fn whole_and_part(story: &Story) -> (Bundle, Bundle) {
    let whole = Bundle::of(story, None, Filter::default());
    let named = Filter {
        named: Some([("user_id".to_owned(), "ana".to_owned())].into()),
        ..Filter::default()
    };
    let people: BTreeSet<String> = ["sales", "support"]
        .iter()
        .map(|agent| story.people(agent)[0].to_string())
        .collect();
    (whole, Bundle::of(story, Some(&people), named))
}

/// What the verifier in Python says of each, with the key or without.
fn in_python(dir: &Path, bundles: &[PathBuf], key: Option<&PublicKey>) -> Vec<Value> {
    let mut command = Command::new("python3");
    command.args(["-B", PYTHON, "--json"]);
    if let Some(key) = key {
        let path = dir.join("pubkey.txt");
        std::fs::write(&path, bundle::public_key(key)).unwrap();
        command.arg("--key").arg(path);
    }
    let output = command
        .args(bundles)
        .output()
        .expect(
            "python3 is missing, in which the second verifier is written: `cargo xtask test` installs it, as `apt-get install \
             python3` does",
        );
    let reports = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let reports: Vec<Value> = reports
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(reports.len(), bundles.len(), "{said}");
    let well = reports.iter().all(|report| report["ok"] == true);
    assert_eq!(output.status.code(), Some(i32::from(!well)), "{said}");
    reports
}

/// The reports on bundles beside the key of the installation.
fn reports(bundles: &[(String, Vec<u8>)]) -> Vec<Value> {
    reports_beside(Some(&signer(1).public_key()), bundles)
}

/// Writes bundles down, and answers the report on each, on which both verifiers agree but for the words in which they tell it.
pub fn reports_beside(key: Option<&PublicKey>, bundles: &[(String, Vec<u8>)]) -> Vec<Value> {
    let dir = TempDir::new().unwrap();
    let paths: Vec<PathBuf> = (0..bundles.len())
        .map(|number| dir.path().join(format!("{number}.zip")))
        .collect();
    for (path, (_, bytes)) in paths.iter().zip(bundles) {
        std::fs::write(path, bytes).unwrap();
    }
    let in_rust = paths
        .iter()
        .map(|path| serde_json::to_value(verify(path, key).unwrap()).unwrap());
    let in_python = in_python(dir.path(), &paths, key);
    let mut told = Vec::new();
    for ((in_rust, in_python), (what, _)) in in_rust.zip(in_python).zip(bundles) {
        assert_eq!(
            without_words(&in_rust),
            without_words(&in_python),
            "{what}: {in_rust:#} in Rust, {in_python:#} in Python"
        );
        told.push(in_rust);
    }
    told
}

fn without_words(report: &Value) -> Value {
    let mut report = report.clone();
    if let Some(faults) = report["faults"].as_array_mut() {
        for fault in faults {
            fault["detail"] = Value::Null;
        }
    }
    report
}

// E4
#[test]
fn both_verifiers_find_nothing_wrong_with_true_bundles() {
    let mut story = Story::told();
    let (whole, part) = whole_and_part(&story);
    assert!(whole.lines(Part::Events).len() > 60);

    // Somebody who was erased since has no lines any more; the events about them stay.
    let gone = story.people("support")[1].to_string();
    story.happens("support", "user.erased", &gone);
    let mut erased = Bundle::of(&story, None, Filter::default());
    for part in Part::LINES.into_iter().skip(1) {
        erased.edit_lines(part, |lines| lines.retain(|line| !line.contains(&gone)));
    }
    erased.count();
    erased.seal(&signer(1));

    // An agent that was removed whole leaves its chain.
    story.happens("sales", "agent.removed", "sales");
    let mut removed = Bundle::of(&story, None, Filter::default());
    for part in Part::LINES.into_iter().skip(1) {
        removed.edit_lines(part, |lines| {
            lines.retain(|line| !line.contains(&gone) && !line.contains("\"agent\":\"sales\""));
        });
    }
    removed.count();
    removed.seal(&signer(1));

    let bundles = [whole, part, erased, removed].map(|bundle| (String::new(), bundle.zip()));
    for report in reports(&bundles) {
        assert_eq!(report["ok"], true, "{report:#}");
        assert_eq!(
            (&report["sort"], &report["instance"]),
            (&json!("audit"), &json!(INSTANCE))
        );
        assert_eq!(report["key"], json!(signer(1).public_key().fingerprint()));
        assert_eq!(
            (&report["found"], &report["faults"]),
            (&json!(0), &json!([]))
        );
        assert!(report["counts"]["events.ndjson"].as_u64().unwrap() > 20);
    }
}

// E4
#[test]
fn what_was_taken_away_after_a_span_ended_is_excused_by_the_events_that_follow_it() {
    let (told, mut gone_on) = (Story::told(), Story::told());
    let to = told.now() + Span::milliseconds(1);
    let span = || Filter {
        to: Some(to),
        ..Filter::default()
    };
    let [ana, bob] = [0, 1].map(|number| told.people("support")[number].to_string());
    let of_ana = |user: &UserId| user.as_str() == ana;
    let post = told.posts.iter().find(|post| of_ana(&post.user)).unwrap();
    let conversation = post.id.to_string();
    let proposed = told.candidates.iter().find(|one| of_ana(&one.user));
    let candidate = proposed.unwrap().id.to_string();
    gone_on.happens("support", "user.erased", &bob);
    gone_on.happens("support", "conversation.removed", &conversation);
    gone_on.happens("support", "candidate.removed", &candidate);
    gone_on.happens("support", "agent.changed", "support");
    gone_on.happens("sales", "agent.removed", "sales");

    let of_conversation = format!("\"id\":\"{conversation}\"");
    let taken_away = [
        bob,
        of_conversation,
        candidate,
        "\"agent\":\"sales\"".to_owned(),
    ];
    let without = |story: &Story| {
        let mut bundle = Bundle::of(story, None, span());
        for part in Part::LINES.into_iter().skip(1) {
            bundle.edit_lines(part, |lines| {
                lines.retain(|line| !taken_away.iter().any(|gone| line.contains(gone)));
            });
        }
        bundle.count();
        bundle.seal(&signer(1));
        bundle
    };
    let (excused, missing) = (without(&gone_on), without(&told));
    let events = |bundle: &Bundle| bundle.lines(Part::Events).len();
    assert_eq!(
        events(&excused),
        events(&missing) + 4,
        "nothing else of what came later"
    );
    let bundles = [excused, missing].map(|bundle| (String::new(), bundle.zip()));
    let [excused, missing] = <[Value; 2]>::try_from(reports(&bundles)).unwrap();
    assert_eq!(excused["ok"], true, "{excused:#}");
    assert_eq!(missing["ok"], false);
    let faults = missing["faults"].as_array().unwrap();
    assert!(
        faults.iter().all(|fault| fault["kind"] == "missing"),
        "{missing:#}"
    );
}

/// What is about one person, with what stood at an instant, and a filter that names it.
fn about_an_instant() -> (Bundle, Filter, Vec<AsOfLine>) {
    let mut story = Story::told();
    let (user, then, stood) = story.past();
    let filter = Filter {
        agent: Some(AgentName::parse("support").unwrap()),
        user: Some(user.clone()),
        as_of: Some(then),
        ..Filter::default()
    };
    let people = BTreeSet::from([user.to_string()]);
    let bundle = Bundle::of(&story, Some(&people), filter.clone());
    (bundle.with_as_of(&stood), filter, stood)
}

// E4, G6
#[test]
fn what_stood_at_an_instant_is_worked_out_by_both_verifiers() {
    let (bundle, _, stood) = about_an_instant();
    let kinds: BTreeSet<_> = stood.iter().map(|line| line.what).collect();
    assert_eq!((stood.len(), kinds.len()), (9, 3), "{stood:?}");
    // What waited may have got time back after a downtime, which no export of one person tells.
    let mut waits_longer = bundle.clone();
    waits_longer.edit_lines(Part::AsOf, |lines| {
        let candidate = lines.iter_mut().find(|line| line.contains("\"candidate\""));
        let candidate = candidate.unwrap();
        let mut line: Value = serde_json::from_str(candidate).unwrap();
        line["until"] = json!("2199-01-01T00:00:00Z");
        *candidate = bundle::canonical(&line);
    });
    waits_longer.seal(&signer(1));
    let true_ones = [bundle, waits_longer].map(|bundle| (String::new(), bundle.zip()));
    for report in reports(&true_ones) {
        assert_eq!(report["ok"], true, "{report:#}");
        assert_eq!(report["sort"], "audit");
        assert_eq!(report["counts"]["as-of.ndjson"], 9);
    }
}

// E4, G6
#[test]
fn both_verifiers_find_every_lie_about_an_instant_in_the_same_place() {
    let (bundle, filter, stood) = about_an_instant();
    let mut lies: Vec<(String, Vec<u8>)> = Vec::new();
    let mut lie = |what: String, told: Vec<AsOfLine>, filter: &Filter| {
        let mut bundle = bundle.clone().with_as_of(&told);
        bundle.edit::<Manifest>(Part::Manifest, |manifest| {
            manifest.filter = filter.clone();
        });
        bundle.seal(&signer(1));
        lies.push((what, bundle.zip()));
    };
    for number in 0..stood.len() {
        let of = format!("{:?} {number}", stood[number].what);
        let mut change = |what: &str, change: &dyn Fn(&mut Vec<AsOfLine>)| {
            let mut told = stood.clone();
            change(&mut told);
            lie(format!("{of}: {what}"), told, &filter);
        };
        change("left out", &|told| drop(told.remove(number)));
        change("twice", &|told| told.push(told[number].clone()));
        change("another revision", &|told| told[number].revision = Some(7));
        change("another time", &|told| {
            told[number].at += Span::microseconds(1);
        });
        change("another end", &|told| {
            told[number].until = Some(told[number].at);
        });
        change("another thing", &|told| {
            told[number].id = stood[(number + 1) % stood.len()].id.clone();
        });
        change("of another agent", &|told| {
            told[number].agent = AgentName::parse("sales").unwrap();
        });
    }
    let then = filter.as_of.unwrap();
    let at = |as_of: Timestamp| Filter {
        as_of: Some(as_of),
        ..filter.clone()
    };
    let hour = Span::hours(1);
    for (what, other) in [
        ("an earlier instant", at(then - hour - hour)),
        ("a later instant", at(then + hour)),
        (
            "a span",
            Filter {
                from: Some(then - hour),
                ..filter.clone()
            },
        ),
        (
            "an end",
            Filter {
                to: Some(then + hour),
                ..filter.clone()
            },
        ),
        (
            "everybody",
            Filter {
                user: None,
                ..filter.clone()
            },
        ),
        (
            "no instant",
            Filter {
                as_of: None,
                ..filter.clone()
            },
        ),
    ] {
        lie(what.to_owned(), stood.clone(), &other);
    }
    let mut without = bundle.clone();
    without.0.remove(&Part::AsOf);
    without.count();
    without.seal(&signer(1));
    lies.push(("the file left out".to_owned(), without.zip()));
    let mut uncounted = bundle.clone();
    uncounted.edit::<Manifest>(Part::Manifest, |manifest| {
        manifest.counts.remove(Part::AsOf.name());
    });
    uncounted.seal(&signer(1));
    lies.push(("not counted".to_owned(), uncounted.zip()));
    let mut other_words = bundle.clone();
    other_words.edit_line(Part::AsOf, 0, |line| line["what"] = json!("wish"));
    other_words.seal(&signer(1));
    lies.push(("another word".to_owned(), other_words.zip()));
    let mut changed = bundle.clone();
    changed.flip(Part::AsOf, 40, 0);
    lies.push(("changed".to_owned(), changed.zip()));

    for ((what, _), report) in lies.iter().zip(reports(&lies)) {
        assert_eq!(report["ok"], false, "{what}");
        let faults = report["faults"].as_array().unwrap();
        let left_out = what.ends_with(": left out");
        let told = faults.iter().any(|fault| {
            let file = fault["file"].as_str().unwrap();
            fault["kind"] == "as_of" && (file == "as-of.ndjson") != left_out
        });
        assert!(told || !what.contains(": "), "{what}: {report:#}");
    }
}

// E4, G5
#[test]
fn of_a_copy_both_verifiers_tell_what_its_sums_show_and_no_more() {
    let copy = Bundle::copy();
    let whole = [(String::new(), copy.zip())];
    let alone = reports_beside(None, &whole).remove(0);
    assert_eq!(
        (&alone["ok"], &alone["sort"]),
        (&json!(true), &json!("copy")),
        "{alone:#}"
    );
    for unknown in ["instance", "key"] {
        assert_eq!(alone[unknown], Value::Null, "nothing in it tells");
    }
    assert_eq!(
        (&alone["key_compared"], &alone["counts"]),
        (&json!(false), &json!({}))
    );
    // Whoever has a key wants to know who made it: that cannot be answered, and must not look as if it were.
    let beside = reports(&whole).remove(0);
    assert_eq!(
        (&beside["ok"], &beside["found"]),
        (&json!(false), &json!(1))
    );
    assert_eq!(
        (&beside["faults"][0]["kind"], &beside["key_compared"]),
        (&json!("key"), &json!(false))
    );

    let mut damages = Vec::new();
    for part in Part::COPY {
        let mut changed = copy.clone();
        changed.flip(part, 3, 0);
        damages.push((format!("a bit of {}", part.name()), changed.zip()));
        let mut kept = copy.files();
        kept.retain(|(name, _)| *name != part.name());
        damages.push((format!("without {}", part.name()), zip(kept.iter())));
    }
    let mut more = copy.files();
    more.push((Part::Memories.name(), Vec::new()));
    damages.push(("a file of another sort".to_owned(), zip(more.iter())));
    for (report, (what, _)) in reports_beside(None, &damages).iter().zip(&damages) {
        assert_eq!(report["ok"], false, "{what}");
    }
}

// E4
#[test]
fn both_verifiers_find_every_damage_in_the_same_place() {
    let (whole, part) = whole_and_part(&Story::told());
    let true_ones = [whole.zip(), part.zip()];
    let damages = Damages::of(&whole, &part).list;
    assert!(damages.len() >= 200, "{}", damages.len());
    let mut told = 0;
    for ((what, bytes), report) in damages.iter().zip(reports(&damages)) {
        assert!(!true_ones.contains(bytes), "{what} changes nothing");
        assert_eq!(report["ok"], false, "{what}");
        let faults = report["faults"].as_array().unwrap();
        let found = report["found"].as_u64().unwrap();
        assert_eq!(faults.len() as u64, found.min(100), "{what}");
        assert!(faults.iter().all(|fault| {
            fault["detail"]
                .as_str()
                .is_some_and(|detail| !detail.is_empty())
        }));
        told = told.max(found);
    }
    assert!(told > 100, "none has more faults than are listed: {told}");
}

// E4
#[test]
fn the_verifier_in_python_takes_a_key_from_a_file_or_as_its_own_line() {
    let (whole, _) = whole_and_part(&Story::told());
    let dir = TempDir::new().unwrap();
    let [zip, file] = ["export.zip", "pubkey.txt"].map(|name| dir.path().join(name));
    std::fs::write(&zip, whole.zip()).unwrap();
    let [right, other] = [1, 2].map(|seed| signer(seed).public_key().to_string());
    std::fs::write(&file, format!("{right}\n")).unwrap();
    let file = file.display().to_string();
    for (key, code, said) in [
        (&right, 0, "compared with the key that you gave"),
        (&file, 0, "compared with the key that you gave"),
        (&other, 1, "pubkey.txt: key: "),
        (
            &"pubkey.text".to_owned(),
            1,
            "no such file, nor the line of a key",
        ),
    ] {
        let mut command = Command::new("python3");
        command.args(["-B", PYTHON, "--key", key]).arg(&zip);
        let output = command.output().unwrap();
        let told = [output.stdout, output.stderr].concat();
        let told = String::from_utf8_lossy(&told);
        assert_eq!(output.status.code(), Some(code), "{key}: {told}");
        assert!(told.contains(said), "{key}: {told}");
    }
}

// E4
#[test]
fn a_bundle_that_somebody_else_signed_shows_only_beside_the_right_key() {
    let (whole, _) = whole_and_part(&Story::told());
    let foreign = signer(2);
    let mut taken_over = whole;
    let key = bundle::public_key(&foreign.public_key());
    taken_over.0.insert(Part::PublicKey, key.into_bytes());
    taken_over.edit_checkpoint(&foreign, |_| {});
    taken_over.seal(&foreign);
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("export.zip");
    std::fs::write(&path, taken_over.zip()).unwrap();

    let alone = verify(&path, None).unwrap();
    assert!(alone.ok && !alone.key_compared, "{:?}", alone.faults);
    assert_eq!(alone.key, Some(foreign.public_key().fingerprint()));
    let beside = verify(&path, Some(&signer(1).public_key())).unwrap();
    assert!(!beside.ok && beside.key_compared);
    assert_eq!(beside.faults.len(), 1);
    assert_eq!(beside.faults[0].file, Part::PublicKey.name());

    let missing = verify(&dir.path().join("none.zip"), None).unwrap_err();
    assert!(missing.to_string().ends_with("none.zip"));
}
