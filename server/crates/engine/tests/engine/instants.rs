//! Exports about an instant (G6): they say of it what its page says, both verifiers work the same out, and nothing in them is of anybody else.

use std::{collections::BTreeMap, fs};

use domain::{
    Timestamp,
    agent::AgentScope,
    candidate::Edit,
    export::{ExportSort, ReportLanguage},
    permission::Permission,
    time::Span,
};
use engine::{Approval, ExportView, MemoryEdit, NewExport, Page, UserRef, Version};
use serde_json::{Value, json};
use store::{Stamp, testing::TestDb};

use crate::{
    bundle::reports_beside,
    exports::{House, everything, holds, of, sales, unpacked},
};

impl House {
    fn of_ana(&self, as_of: Timestamp) -> NewExport {
        NewExport {
            agent: Some(self.world.agent.clone()),
            as_of: Some(as_of),
            ..of("ana")
        }
    }

    /// What the page of an instant says, a few servings at a time, as an export tells it.
    async fn page_of(&self, at: Timestamp) -> Vec<Value> {
        let (world, ana) = (&self.world, UserRef::parse("ana").unwrap());
        let reads = world.mia(Permission::ReadUsers);
        let mut page = Page {
            limit: 1,
            ..Page::default()
        };
        let mut told = Vec::new();
        loop {
            let held = world
                .engine
                .as_of(&reads, &ana, Some(&world.agent), at, &page)
                .await
                .unwrap();
            let line = |what: &str, id: Value, at: Timestamp| {
                let (agent, user) = (&held.agent, &held.user);
                json!({"agent": agent, "user": user, "what": what, "id": id, "revision": null, "at": at, "until": null})
            };
            if page.cursor.is_none() {
                for memory in &held.memories {
                    let mut stood = line("memory", json!(memory.memory), memory.approved_at);
                    stood["revision"] = json!(memory.revision);
                    stood["until"] = json!(memory.expires_at);
                    told.push(stood);
                }
                for candidate in &held.waiting {
                    let mut waited = line("candidate", json!(candidate.candidate), candidate.since);
                    waited["until"] = json!(candidate.until);
                    told.push(waited);
                }
            }
            for serving in &held.servings {
                told.push(line("serving", json!(serving.id), serving.at));
            }
            page.cursor = held.next;
            if page.cursor.is_none() {
                return told;
            }
        }
    }

    /// The files of an export that both verifiers find nothing wrong with.
    async fn right(&self, export: &ExportView) -> BTreeMap<String, Vec<u8>> {
        let path = self.file(export).await;
        let key = self.engine.db().audit_key().await.unwrap().public_key();
        let bundle = (String::new(), fs::read(&path).unwrap());
        let report = reports_beside(Some(&key), &[bundle]).remove(0);
        assert_eq!(report["ok"], true, "{report:#}");
        unpacked(&path)
    }
}

fn lines(files: &BTreeMap<String, Vec<u8>>) -> Vec<Value> {
    let text = std::str::from_utf8(&files["as-of.ndjson"]).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

store::both! {
    // G6, E4
    async fn the_page_of_an_instant_and_its_export_say_the_same(db: &TestDb) {
        let house = House::new(db).await;
        let world = &house.world;
        let (mia, aiko) = (world.mia(Permission::Decide), world.aiko(Permission::Decide));
        let begun = world.engine.now();
        let mut instants = vec![begun - Span::hours(1), begun];
        world.pass(Span::hours(1));
        house.live("ana", "canary-ana").await;
        house.live("bo", "canary-bo").await;
        instants.push(world.engine.now());
        let known = world.engine.as_of(&world.mia(Permission::ReadUsers), &UserRef::parse("ana").unwrap(), Some(&world.agent), world.engine.now(), &Page::default()).await.unwrap();
        let home = known.memories[0].memory.clone();

        world.pass(Span::hours(1));
        let edit = Edit { content: Some("User keeps a later canary-ana".into()), ..Edit::default() };
        world.engine.edit_memory(&aiko, &home, Version::Any, edit, None).await.unwrap();
        world.context("ana").await;
        instants.push(world.engine.now());
        world.pass(Span::hours(1));
        world.engine.retire_memory(&mia, &home, Version::Any, None).await.unwrap();
        instants.push(world.engine.now());
        world.pass(Span::hours(1));
        world.engine.restore_memory(&mia, &home, Version::Any, None, None).await.unwrap();
        let ends = world.engine.now() + Span::hours(2);
        let ends = MemoryEdit { expires_at: Some(Some(ends)), ..MemoryEdit::default() };
        world.engine.edit_memory(&mia, &home, Version::Any, ends, None).await.unwrap();
        instants.push(world.engine.now());
        // Its end passes, whether or not the clock's work is done; and what waits gets the time back in which nobody was there.
        world.pass(Span::hours(3));
        instants.push(world.engine.now());
        let down = world.engine.now();
        world.pass(Span::days(3));
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        tx.give_back(down, Span::days(3), &Stamp::system(world.engine.now())).await.unwrap();
        tx.commit().await.unwrap();
        world.pass(Span::days(5));
        let late = world.proposed("ana", "fact", None, "User owns a canary-ana boat").await;
        instants.push(world.engine.now());
        world.pass(Span::hours(1));
        world.engine.approve(&mia, &late.id, None, Approval::default()).await.unwrap();

        let mut said = Vec::new();
        for at in instants {
            let export = house.made(house.of_ana(at)).await;
            assert_eq!((export.as_of, export.sort), (Some(at), ExportSort::Audit));
            let files = house.right(&export).await;
            let told = lines(&files);
            assert_eq!(told, house.page_of(at).await, "{at}");
            for (name, bytes) in &files {
                assert!(!holds(bytes, "canary-bo"), "{name} at {at}");
            }
            let manifest: Value = serde_json::from_slice(&files["manifest.json"]).unwrap();
            assert_eq!((&manifest["counts"]["as-of.ndjson"], &manifest["filter"]["as_of"]), (&json!(told.len()), &json!(at)));
            said.push(told.len());
        }
        // Nothing; nothing yet; a memory, a candidate, a serving; the same and another serving; without the memory; with it; without.
        assert_eq!(said[..7], [0, 0, 3, 4, 3, 4, 3]);
        assert_eq!(said[7], 4, "the first still waits, for it got three days back");
        world.verify().await;
    }

    // G6, E4
    async fn an_auditor_reads_what_stood_in_three_languages(db: &TestDb) {
        let house = House::new(db).await;
        house.live("ana", "canary-ana").await;
        house.world.script.says(&json!({"candidates": [
            {"kind": "fact", "name": null, "content": "User buys tea", "confidence": 0.9, "importance": 0.7, "evidence": "I buy tea"}
        ]}));
        sales(&house.world).await;
        let now = house.world.engine.now();
        for (language, title) in [
            (ReportLanguage::English, "What was known and served at 20"),
            (ReportLanguage::Japanese, "時点で記憶され、渡されていた内容"),
            (ReportLanguage::Chinese, "已知和已提供的内容"),
        ] {
            let one = house.made(NewExport { language, ..house.of_ana(now) }).await;
            let files = house.right(&one).await;
            let report = std::str::from_utf8(&files["report.html"]).unwrap();
            let (_, then) = report.split_once(title).unwrap();
            // Known, served, and once more among what is remembered.
            assert!(then.matches("User keeps canary-ana").count() >= 3 && then.contains("User once lost canary-ana"));
            let again = house.made(NewExport { language, ..house.of_ana(now) }).await;
            let again = house.right(&again).await;
            for same in ["as-of.ndjson", "report.html", "manifest.json"] {
                assert_eq!(files[same], again[same], "{same}");
            }
        }
        let plain = house.made(NewExport { as_of: None, ..house.of_ana(now) }).await;
        let files = house.right(&plain).await;
        assert!(!files.contains_key("as-of.ndjson") && !holds(&files["manifest.json"], "as_of"));

        // By name it is whoever is called so, in every agent.
        let both = house.made(NewExport { as_of: Some(now), ..of("ana") }).await;
        let files = house.right(&both).await;
        let agents: Vec<Value> = lines(&files).iter().map(|line| line["agent"].clone()).collect();
        assert!(agents.contains(&json!("sales")) && agents.contains(&json!("support")), "{agents:?}");
        assert!(agents.is_sorted_by(|one, other| one.as_str() <= other.as_str()));
    }

    // G6, E4
    async fn an_instant_is_asked_of_one_person_out_of_the_whole_time(db: &TestDb) {
        let house = House::new(db).await;
        house.live("ana", "canary-ana").await;
        let now = house.world.engine.now();
        for (new, pointer, code) in [
            (house.of_ana(now + Span::seconds(1)), "/as_of", "future"),
            (NewExport { sort: ExportSort::Copy, ..house.of_ana(now) }, "/as_of", "not_of_a_copy"),
            (NewExport { from: Some(now - Span::days(1)), ..house.of_ana(now) }, "/from", "whole_time"),
            (NewExport { to: Some(now), ..house.of_ana(now) }, "/to", "whole_time"),
            (NewExport { as_of: Some(now), ..everything() }, "/user_id", "required"),
        ] {
            let refused = house.engine.request_export(&house.mia(), new).await.unwrap_err();
            let fault = &refused.fields()[0];
            assert_eq!((fault.pointer.as_str(), fault.code), (pointer, code));
        }
    }
}
