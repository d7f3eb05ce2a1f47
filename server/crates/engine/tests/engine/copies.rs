//! A person's own copy: all that is kept of them, nothing of anybody else, and what is said of one that is checked.

use std::{collections::BTreeMap, fs};

use domain::{
    agent::AgentScope,
    candidate::{Action, Edit, Flag, Proposal, Reason},
    conversation::{NewMessage, Role, Source},
    export::{ExportSort, ReportLanguage},
    id::UserId,
    permission::{Actor, Permission},
    user::Scope,
};
use engine::{
    Approval, NewExport, ProposeAnswer, Proposed, UserRef,
    export::{
        bundle::Part,
        verify::{BundleFaultKind, verify},
    },
};
use serde_json::{Value, json};
use store::{NewCandidate, Stamp, testing::TestDb};

use crate::{
    exports::{House, everything, holds, of, sales, unpacked},
    world::message,
};

fn copy_of(name: &str) -> NewExport {
    NewExport {
        sort: ExportSort::Copy,
        ..of(name)
    }
}

fn about(files: &BTreeMap<String, Vec<u8>>) -> Value {
    serde_json::from_slice(&files["about-you.json"]).unwrap()
}

impl House {
    async fn user(&self, name: &str) -> UserId {
        let permit = self.world.mia(Permission::ReadUsers);
        let named = UserRef::Scope(Scope::user_id(name).unwrap());
        let agent = Some(&self.world.agent);
        let found = self.engine.user(&permit, &named, agent).await.unwrap();
        found.user.id
    }

    async fn files(&self, new: NewExport) -> BTreeMap<String, Vec<u8>> {
        let made = self.made(new).await;
        unpacked(&self.file(&made).await)
    }
}

store::both! {
    // G5, E4, G11
    async fn a_persons_copy_holds_all_of_theirs_and_nothing_of_anybody_else(db: &TestDb) {
        let house = House::new(db).await;
        let world = &house.world;
        house.live("ana", "canary-ana").await;
        house.live("bo", "canary-bo").await;
        let turns = vec![
            message(Role::User, "What does a desk cost? My card is 4111 1111 1111 1111."),
            NewMessage { source: Source::Automation, ..message(Role::User, "canary-bo asked the same") },
            message(Role::Tool, "canary-bo has a desk"),
            message(Role::System, "never speak of canary-bo"),
            message(Role::Assistant, "A desk costs nine"),
        ];
        world.post("ana", turns, true).await;
        world.work().await;
        let by_hand = Proposed {
            action: None,
            target: None,
            scope: Scope::user_id("ana").unwrap(),
            kind: "fact".into(),
            name: None,
            content: Some("User works beside canary-bo".into()),
            metadata: Default::default(),
            tags: vec!["canary-bo".into()],
            confidence: None,
            importance: None,
            explanation: Some("so says canary-bo".into()),
        };
        let answer = world.engine.propose(&world.mia(Permission::Propose), &world.agent, by_hand).await.unwrap();
        let ProposeAnswer::Proposed { candidate } = answer else { panic!("{answer:?}") };
        let note = Some("of canary-bo, surely".to_owned());
        world.engine.reject(&world.mia(Permission::Decide), &candidate.id, None, Reason::ThirdParty, note).await.unwrap();

        let (one, two) = (house.made(copy_of("ana")).await, house.made(copy_of("ana")).await);
        let (one, two) = (house.file(&one).await, house.file(&two).await);
        assert!(fs::read(&one).unwrap() == fs::read(&two).unwrap(), "the same again");
        let files = unpacked(&one);
        assert_eq!(files.len(), Part::COPY.len());
        let (Actor::Person { id: mia, .. }, bo) = (world.mia.clone(), house.user("bo").await) else { panic!("a person") };
        for (name, bytes) in &files {
            for of_others in ["canary-bo", bo.as_str(), "Mia", "Aiko", mia.as_str(), "is a passing thing", "4111 1111"] {
                assert!(!holds(bytes, of_others), "{of_others} in {name}");
            }
        }
        for hers in ["User keeps canary-ana", "User prefers canary-ana blue", "User once lost canary-ana", "What does a desk cost?", "A desk costs nine"] {
            assert!(holds(&files["about-you.html"], hers), "{hers}");
        }

        let about = about(&files);
        let rows: BTreeMap<String, i64> = db.rows_of_user(house.user("ana").await.as_str()).await.into_iter().collect();
        let counts = &about["counts"];
        for (count, table) in [("memories", "memories"), ("revisions", "revisions"), ("told", "servings"), ("proposals", "candidates"), ("decisions", "decisions")] {
            assert_eq!(counts[count], rows[table], "{table}");
        }
        for (list, count) in [("memories", 1), ("told", 1), ("proposals", 4)] {
            assert_eq!(about[list].as_array().unwrap().len(), count, "{list}");
            assert_eq!(counts[list], count, "{list}");
        }
        let messages = counts["messages"].as_i64().unwrap();
        assert_eq!((messages + 3, &counts["messages_left_out"]), (rows["messages"], &json!(3)));
        let lines = String::from_utf8(files["conversations.ndjson"].clone()).unwrap();
        assert_eq!(i64::try_from(lines.lines().count()).unwrap(), messages);
        for line in lines.lines() {
            let said: Value = serde_json::from_str(line).unwrap();
            assert!(said["role"] == "user" || said["role"] == "assistant", "{said}");
        }
        let memory = &about["memories"][0];
        assert_eq!((&memory["remembered"], &memory["told"], &memory["revisions"][0]["by"]), (&json!(true), &json!(1), &json!("person")));
        assert_eq!(memory["text"]["content"], "User keeps canary-ana");
        let told = &about["told"][0];
        assert_eq!((&told["agent"], &told["memories"][0]["memory"]), (&json!("support"), &memory["id"]));
        let proposals = about["proposals"].as_array().unwrap();
        let withheld: Vec<_> = proposals.iter().filter(|one| one["withheld"] == true).collect();
        assert_eq!(withheld.len(), 1);
        assert_eq!((&withheld[0]["id"], &withheld[0]["text"], &withheld[0]["explanation"]), (&json!(candidate.id), &Value::Null, &Value::Null));
        let turned_down = proposals.iter().find(|one| one["reason"] == "not_durable").unwrap();
        let decision = &turned_down["decisions"][0];
        assert_eq!((&decision["by"], &decision["agreed"], &decision["verdict"]), (&json!("person"), &json!(false), &json!("reject")));

        let report = verify(&one, None).unwrap();
        assert_eq!((report.ok, report.sort, report.key), (true, Some(ExportSort::Copy), None));
        let key = house.engine.db().audit_key().await.unwrap().public_key();
        let beside = verify(&one, Some(&key)).unwrap();
        assert_eq!((beside.ok, beside.faults[0].kind), (false, BundleFaultKind::Key));
        world.verify().await;
    }

    // G5
    async fn a_copy_is_in_the_language_asked_for_and_of_one_name_in_every_agent(db: &TestDb) {
        let house = House::new(db).await;
        house.live("ana", "canary-ana").await;
        house.live("bo", "canary-bo").await;
        sales(&house.world).await;
        for (language, title) in [
            (ReportLanguage::English, "What is remembered about you"),
            (ReportLanguage::Japanese, "あなたについて記憶されていること"),
            (ReportLanguage::Chinese, "关于您的记忆"),
        ] {
            let files = house.files(NewExport { language, ..copy_of("ana") }).await;
            assert!(holds(&files["about-you.html"], title) && holds(&files["README.txt"], "SHA256SUMS"));
            let about = about(&files);
            assert_eq!(about["language"], language.as_str());
            let agents: Vec<_> = about["you"].as_array().unwrap().iter().map(|you| &you["agent"]).collect();
            assert_eq!(agents, ["sales", "support"]);
            assert!(holds(&files["conversations.ndjson"], "I buy tea"), "what was said to the other agent");
        }
        let here = NewExport { agent: Some(house.world.agent.clone()), ..copy_of("ana") };
        let by_id = NewExport { named: None, user: Some(house.user("ana").await), ..copy_of("ana") };
        let (here, by_id) = (house.files(here).await, house.files(by_id).await);
        assert_eq!(about(&here)["you"].as_array().unwrap().len(), 1);
        assert_eq!(here, by_id);
        assert!(!holds(&here["conversations.ndjson"], "I buy tea"));
    }

    // G5
    async fn a_copy_is_of_somebody_and_of_the_whole_time(db: &TestDb) {
        let house = House::new(db).await;
        house.live("ana", "canary-ana").await;
        let now = Some(house.engine.now());
        for (wrong, pointer, code) in [
            (NewExport { sort: ExportSort::Copy, ..everything() }, "/user_id", "required"),
            (NewExport { from: now, ..copy_of("ana") }, "/from", "whole_time"),
            (NewExport { to: now, ..copy_of("ana") }, "/to", "whole_time"),
            (copy_of("nobody"), "/user_id", "unknown"),
        ] {
            let refused = house.engine.request_export(&house.mia(), wrong).await.unwrap_err();
            assert_eq!((refused.fields()[0].pointer.as_str(), refused.fields()[0].code), (pointer, code));
        }
        // Whoever it is of goes before it is written.
        let waits = house.ask(copy_of("ana")).await;
        db.behind_the_back("delete from user_keys").await.unwrap();
        let failed = house.written(&waits.id).await;
        assert_eq!(failed.error.as_deref(), Some("user_unknown"));
    }

    // G5
    async fn what_a_reviewer_took_out_about_somebody_else_stays_out(db: &TestDb) {
        let house = House::new(db).await;
        let world = &house.world;
        let stamp = Stamp::system(house.engine.now());
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let user = tx.ensure_user(&world.agent, &Scope::user_id("ana").unwrap(), &stamp).await.unwrap();
        let mut made = Vec::new();
        for content in ["User has a sister, canary-bo", "User has met canary-cy"] {
            let proposal = Proposal {
                action: Action::Create,
                targets: vec![],
                kind: "fact".into(),
                name: None,
                content: content.into(),
                metadata: Default::default(),
                tags: vec![],
                confidence: 0.9,
                importance: 0.5,
                language: "en".into(),
                flags: vec![Flag::ThirdParty],
                evidence: vec![],
                explanation: None,
                cause: None,
            };
            let new = NewCandidate { agent: world.agent.clone(), user: user.id.clone(), proposal, extraction: None, supersedes: vec![] };
            made.push(tx.propose(&new, &stamp).await.unwrap());
        }
        tx.commit().await.unwrap();
        let shorter = Edit { content: Some("User has a sister".into()), ..Edit::default() };
        for (one, edit) in made.iter().zip([shorter, Edit::default()]) {
            let approval = Approval { edit, ..Approval::default() };
            world.engine.approve(&world.mia(Permission::Decide), &one.id, None, approval).await.unwrap();
        }
        let files = house.files(copy_of("ana")).await;
        for (name, bytes) in &files {
            assert!(!holds(bytes, "canary-bo"), "{name}");
        }
        assert!(holds(&files["about-you.json"], "canary-cy"), "what was taken up as it is");
        let about = about(&files);
        let proposals = about["proposals"].as_array().unwrap();
        let withheld: Vec<_> = proposals.iter().filter(|one| one["withheld"] == true).collect();
        assert_eq!((withheld.len(), &withheld[0]["id"], &withheld[0]["text"]), (1, &json!(made[0].id), &Value::Null));
        assert!(holds(&files["about-you.json"], "User has a sister"), "the memory tells what became of it");
    }
}
