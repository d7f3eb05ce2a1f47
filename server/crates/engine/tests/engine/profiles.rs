//! Profiles: schemas with their faults, one memory a field, and what a person writes into one.

use domain::{
    candidate::{Action, Edit},
    memory::RevisionAction,
    permission::{Permission, Permit},
    time::Span,
    user::Scope,
};
use engine::{
    Approval, EngineError, MemoryEdit, MemoryFilter, MemoryView, NewMemory, Page, ProposeAnswer,
    Proposed, UserRef, Version,
};
use serde_json::{Map, Value, json};
use store::testing::TestDb;

use crate::world::World;

pub fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "technical_stack": {"type": "string", "description": "Languages and frameworks that they work with."},
            "job_status": {"type": "string", "enum": ["student", "employed"], "x-ttl-days": 30},
            "years": {"type": "integer", "minimum": 0},
        },
    })
}

impl World {
    pub async fn with_schema(&self) {
        let admin = self.mia(Permission::Administer);
        self.engine
            .create_schema(&admin, &self.agent, "user-profile", schema())
            .await
            .unwrap();
        self.work().await;
    }

    pub async fn field(&self, user: &str, field: &str, words: &str) -> MemoryView {
        let new = NewMemory {
            scope: Scope::user_id(user).unwrap(),
            kind: "profile_field".into(),
            name: Some(format!("user-profile/{field}")),
            content: words.into(),
            metadata: Map::new(),
            tags: vec![],
            importance: None,
            note: None,
        };
        self.engine
            .add_memory(&self.mia(Permission::Decide), &self.agent, new)
            .await
            .unwrap()
    }

    pub async fn profile(&self, user: &str) -> Value {
        let user = UserRef::parse(user).unwrap();
        let profile = self
            .engine
            .profile(&self.key(Permission::ReadMemories), &user, None)
            .await
            .unwrap();
        serde_json::to_value(profile).unwrap()
    }
}

fn faults(refused: &EngineError) -> Vec<(String, &'static str)> {
    refused
        .fields()
        .into_iter()
        .map(|fault| (fault.pointer, fault.code))
        .collect()
}

store::both! {
    // D1
    async fn a_schema_is_made_changed_and_told_where_it_is_wrong(db: &TestDb) {
        let world = World::new(db).await;
        let admin = world.mia(Permission::Administer);
        let (engine, agent) = (&world.engine, &world.agent);
        let made = engine.create_schema(&admin, agent, "user-profile", schema()).await.unwrap();
        assert_eq!((made.version, made.misfits), (1, 0));
        let fields: Vec<_> = made.fields.iter().map(|field| (field.name.as_str(), field.joins, field.ttl_days)).collect();
        assert_eq!(fields, [("technical_stack", true, None), ("job_status", false, Some(30)), ("years", false, None)]);
        let taken = engine.create_schema(&admin, agent, "user-profile", schema()).await.unwrap_err();
        assert_eq!(taken.code(), "name_taken");

        let wrong = json!({"properties": {"a b": {}, "c": {"type": "strin"}, "d": {"x-ttl-days": 0}}});
        let refused = engine.put_schema(&admin, agent, "user-profile", wrong, None).await.unwrap_err();
        let told = faults(&refused);
        for fault in [
            ("/schema/properties/a b", "field_name"),
            ("/schema/properties/c/type", "invalid_schema"),
            ("/schema/properties/d/x-ttl-days", "annotation"),
        ] {
            assert!(told.contains(&(fault.0.to_owned(), fault.1)), "{told:?}");
        }
        let id = engine.put_schema(&admin, agent, "no spaces", schema(), None).await.unwrap_err();
        assert_eq!(faults(&id), [("/id".to_owned(), "shape")]);

        let mut other = schema();
        other["properties"]["city"] = json!({"type": "string"});
        let changed = engine.put_schema(&admin, agent, "user-profile", other.clone(), Some(Version::Is(1))).await.unwrap();
        assert_eq!((changed.version, changed.fields.len()), (2, 4));
        let stale = engine.put_schema(&admin, agent, "user-profile", schema(), Some(Version::Is(1))).await.unwrap_err();
        assert_eq!((stale.code(), stale.status()), ("stale", 412));
        let same = engine.put_schema(&admin, agent, "user-profile", other, None).await.unwrap();
        assert_eq!(same.version, 2, "the same again is no change");
        engine.create_schema(&admin, agent, "plans", schema()).await.unwrap();
        assert_eq!(engine.schemas(&admin, agent).await.unwrap().len(), 2, "any number of them");
        let stale = engine.remove_schema(&admin, agent, "plans", Some(Version::Is(7))).await.unwrap_err();
        assert_eq!(stale.code(), "stale");
        engine.remove_schema(&admin, agent, "plans", None).await.unwrap();
        let gone = engine.schema(&admin, agent, "plans").await.unwrap_err();
        assert_eq!(gone.code(), "not_found");
        world.verify().await;
    }

    // D2, D4, D5
    async fn a_field_is_a_memory_and_the_profile_is_read_in_one_call(db: &TestDb) {
        let world = World::new(db).await;
        world.with_schema().await;
        assert_eq!(world.profile("st").await, json!({"profiles": {"user-profile": {}}}), "nobody was heard of yet");
        let stack = world.field("st", "technical_stack", "ADK").await;
        let status = world.field("st", "job_status", "Student").await;
        world.field("st", "years", "3").await;
        world.field("bo", "technical_stack", "Rust").await;
        assert_eq!(status.content, "student", "as the enum has it");
        let profile = json!({"technical_stack": "ADK", "job_status": "student", "years": 3});
        assert_eq!(world.profile("st").await, json!({"profiles": {"user-profile": profile}}));

        // D4: the field's own days, else the kind's; a person sets another end.
        assert_eq!(status.expires_at, Some(world.engine.now() + Span::days(30)));
        assert_eq!(stack.expires_at, None);
        let decide = world.mia(Permission::Decide);
        let soon = world.engine.now() + Span::days(2);
        let end = MemoryEdit { expires_at: Some(Some(soon)), ..MemoryEdit::default() };
        let ended = world.engine.edit_memory(&decide, &stack.id, Version::Is(1), end, None).await.unwrap();
        assert_eq!((ended.revision, ended.expires_at, ended.content.as_str()), (2, Some(soon), "ADK"));
        let past = MemoryEdit { expires_at: Some(Some(world.engine.now())), ..MemoryEdit::default() };
        let refused = world.engine.edit_memory(&decide, &stack.id, Version::Any, past, None).await.unwrap_err();
        assert_eq!(faults(&refused), [("/expires_at".to_owned(), "past")]);
        let never = MemoryEdit { expires_at: Some(None), ..MemoryEdit::default() };
        world.engine.edit_memory(&decide, &status.id, Version::Any, never, None).await.unwrap();
        world.pass(Span::days(40));
        assert_eq!(world.profile("st").await["profiles"]["user-profile"], json!({"job_status": "student", "years": 3}));

        let user = UserRef::parse("st").unwrap();
        let tables = world.engine.profile_fields(&world.mia(Permission::ReadMemories), &user, Some(&world.agent)).await.unwrap();
        let rows: Vec<_> = tables[0].fields.iter().map(|row| (row.field.as_str(), row.words.as_str(), row.fits)).collect();
        assert_eq!(rows, [("technical_stack", "", true), ("job_status", "student", true), ("years", "3", true)]);
        world.verify().await;
    }

    // D2
    async fn a_person_writes_only_what_fits_the_field(db: &TestDb) {
        let world = World::new(db).await;
        world.with_schema().await;
        let decide = world.mia(Permission::Decide);
        let stack = world.field("st", "technical_stack", "ADK").await;
        let words = Edit { content: Some("ADK, Rust".into()), ..Edit::default() };
        let edited = world.engine.edit_memory(&decide, &stack.id, Version::Is(1), words, None).await.unwrap();
        assert_eq!(edited.metadata["value"], "ADK, Rust", "the words make the value");
        assert_eq!(edited.metadata["extracted"], "ADK");
        let value = Edit { metadata: json!({"value": "Go"}).as_object().cloned(), ..Edit::default() };
        let edited = world.engine.edit_memory(&decide, &stack.id, Version::Is(2), value, None).await.unwrap();
        assert_eq!((edited.content.as_str(), &edited.metadata["value"]), ("Go", &json!("Go")));
        let back = world.engine.restore_memory(&decide, &stack.id, Version::Is(3), Some(2), None).await.unwrap();
        assert_eq!((back.content.as_str(), &back.metadata["value"], &back.metadata["extracted"]), ("ADK, Rust", &json!("ADK, Rust"), &json!("ADK")));

        let status = world.field("st", "job_status", "student").await;
        let retired = Edit { content: Some("retired".into()), ..Edit::default() };
        let refused = world.engine.edit_memory(&decide, &status.id, Version::Any, retired, None).await.unwrap_err();
        assert_eq!(faults(&refused), [("/content".to_owned(), "schema")]);
        assert!(refused.to_string().contains("student, employed"), "{refused}");
        let unknown = Edit { name: Some("user-profile/shoes".into()), ..Edit::default() };
        let refused = world.engine.edit_memory(&decide, &status.id, Version::Any, unknown, None).await.unwrap_err();
        assert_eq!(faults(&refused), [("/name".to_owned(), "unknown")]);
    }

    // D3, D7, C8
    async fn a_change_of_a_field_is_proposed_and_its_revision_tells_everything(db: &TestDb) {
        let world = World::new(db).await;
        world.with_schema().await;
        let stack = world.field("st", "technical_stack", "ADK").await;
        let decide = world.mia(Permission::Decide);
        let proposed = Proposed {
            action: None,
            target: None,
            scope: Scope::user_id("st").unwrap(),
            kind: "profile_field".into(),
            name: Some("user-profile/technical_stack".into()),
            content: Some("ADK, Python".into()),
            metadata: Map::new(),
            tags: vec![],
            confidence: Some(0.9),
            importance: None,
            explanation: Some("They asked about Python.".into()),
        };
        let nameless = Proposed { name: None, ..proposed.clone() };
        let refused = world.engine.propose(&world.key(Permission::Propose), &world.agent, nameless).await.unwrap_err();
        assert_eq!(faults(&refused), [("/name".to_owned(), "required")]);
        assert!(refused.to_string().contains("schema/field"), "{refused}");
        let answer = world.engine.propose(&world.key(Permission::Propose), &world.agent, proposed).await.unwrap();
        let ProposeAnswer::Proposed { candidate } = answer else { panic!("{answer:?}") };
        assert_eq!((candidate.action, candidate.target.as_ref()), (Action::Update, Some(&stack.id)));
        assert_eq!(world.profile("st").await["profiles"]["user-profile"]["technical_stack"], "ADK", "a person decides");

        // The reviewer's words make the value here too.
        let edit = Edit { content: Some("ADK, Python 3".into()), ..Edit::default() };
        let approval = Approval { edit, ..Approval::default() };
        world.engine.approve(&decide, &candidate.id, None, approval).await.unwrap();
        assert_eq!(world.profile("st").await["profiles"]["user-profile"]["technical_stack"], "ADK, Python 3");
        let revisions = world.engine.revisions(&world.mia(Permission::ReadHistory), &stack.id).await.unwrap().data;
        let newest = &revisions[0];
        assert_eq!((newest.revision, newest.action), (2, RevisionAction::Update));
        assert_eq!(newest.before.as_deref(), Some("ADK"));
        assert_eq!(newest.extracted, Some(json!("ADK, Python")));
        assert_eq!(newest.proposed.as_deref(), Some("ADK, Python"));
        assert_eq!(newest.explanation.as_deref(), Some("They asked about Python."));
        assert_eq!(newest.made_by, None, "nothing extracted it");
        world.verify().await;
    }

    // D6
    async fn lists_leave_profiles_out_unless_asked(db: &TestDb) {
        let world = World::new(db).await;
        world.with_schema().await;
        world.field("st", "technical_stack", "Python").await;
        let fact = world.proposed("st", "fact", None, "User teaches Python").await;
        world.engine.approve(&world.mia(Permission::Decide), &fact.id, None, Approval::default()).await.unwrap();
        let reads = world.key(Permission::ReadMemories);
        let theirs = |kinds: &[&str]| MemoryFilter {
            scope: Some(Scope::user_id("st").unwrap()),
            kinds: kinds.iter().map(ToString::to_string).collect(),
            ..MemoryFilter::default()
        };
        let contents = |found: Vec<MemoryView>| found.into_iter().map(|memory| memory.content).collect::<Vec<_>>();
        let list = world.engine.memories(&reads, &theirs(&[]), &Page::default()).await.unwrap();
        assert_eq!(contents(list.data), ["User teaches Python"]);
        let list = world.engine.memories(&reads, &theirs(&["profile_field"]), &Page::default()).await.unwrap();
        assert_eq!(contents(list.data), ["Python"]);
        let found = world.engine.search(&reads, theirs(&[]), "python", 10).await.unwrap().data;
        assert_eq!(found.into_iter().map(|one| one.memory.content).collect::<Vec<_>>(), ["User teaches Python"]);
        let user = world.engine.user(&world.mia(Permission::ReadUsers), &UserRef::parse("st").unwrap(), Some(&world.agent)).await.unwrap();
        assert_eq!(contents(user.memories), ["User teaches Python"]);
    }

    // A1, G2
    async fn an_agent_is_told_no_profile_while_serving_is_off(db: &TestDb) {
        let world = World::new(db).await;
        world.with_schema().await;
        world.field("st", "technical_stack", "Python").await;
        let admin = world.mia(Permission::Administer);
        let off = engine::AgentPatch { serve: Some(false), ..engine::AgentPatch::default() };
        world.engine.change_agent(&admin, &world.agent, None, off).await.unwrap();
        assert_eq!(world.profile("st").await, json!({"profiles": {"user-profile": {}}, "reason": "serving_off"}));
        let user = UserRef::parse("st").unwrap();
        let seen = world.engine.profile(&world.mia(Permission::ReadHistory), &user, Some(&world.agent)).await.unwrap();
        assert_eq!(seen.profiles["user-profile"]["technical_stack"], "Python", "a person looks at what is stored");
        let on = engine::AgentPatch { serve: Some(true), ..engine::AgentPatch::default() };
        world.engine.change_agent(&admin, &world.agent, None, on).await.unwrap();
        world.engine.set_opt_out(&admin, &user, true).await.unwrap();
        assert_eq!(world.profile("st").await["reason"], "opted_out");
    }

    // F3, D7
    async fn an_agent_sees_nothing_of_what_a_person_edited_away(db: &TestDb) {
        let world = World::new(db).await;
        world.with_schema().await;
        let decide = world.mia(Permission::Decide);
        let approve = async |kind: &str, name: Option<&str>, content: &str, edit: &str| {
            let proposed = Proposed {
                action: None,
                target: None,
                scope: Scope::user_id("st").unwrap(),
                kind: kind.into(),
                name: name.map(str::to_owned),
                content: Some(content.into()),
                metadata: Map::new(),
                tags: vec![],
                confidence: Some(0.9),
                importance: None,
                explanation: Some("They mentioned COBOL.".into()),
            };
            let answer = world.engine.propose(&world.key(Permission::Propose), &world.agent, proposed).await.unwrap();
            let ProposeAnswer::Proposed { candidate } = answer else { panic!("{answer:?}") };
            let edit = Edit { content: Some(edit.into()), ..Edit::default() };
            let approval = Approval { edit, note: Some("COBOL is wrong".into()), ..Approval::default() };
            world.engine.approve(&decide, &candidate.id, None, approval).await.unwrap().memory.unwrap()
        };
        let field = approve("profile_field", Some("user-profile/technical_stack"), "COBOL, Rust", "Rust").await;
        let fact = approve("fact", None, "User writes COBOL and Rust", "User writes Rust").await;

        let all = MemoryFilter { kinds: vec!["profile_field".into(), "fact".into()], ..MemoryFilter::default() };
        let answers = async |permit: &dyn Fn(Permission) -> Permit| {
            let reads = permit(Permission::ReadMemories);
            let mut answers = vec![
                json!(world.engine.memories(&reads, &all, &Page::default()).await.unwrap()),
                json!(world.engine.search(&reads, all.clone(), "Rust", 10).await.unwrap()),
            ];
            for id in [&field, &fact] {
                answers.push(json!(world.engine.memory(&reads, id).await.unwrap()));
                answers.push(json!(world.engine.revisions(&reads, id).await.unwrap()));
                answers.push(json!(world.engine.series(&reads, id).await.unwrap()));
            }
            answers
        };
        let mut told = answers(&|permission| world.key(permission)).await;
        assert_eq!((told[0]["data"].as_array().unwrap().len(), told[1]["data"].as_array().unwrap().len()), (2, 2));
        told.push(json!(world.context("st").await));
        told.push(world.profile("st").await);
        for answer in told {
            assert!(!answer.to_string().contains("COBOL"), "{answer}");
        }
        let people = answers(&|permission| world.mia(permission)).await;
        assert_eq!(people[2]["metadata"]["extracted"], "COBOL, Rust");
        let newest = &people[3]["data"][0];
        assert_eq!((&newest["extracted"], &newest["explanation"]), (&json!("COBOL, Rust"), &json!("They mentioned COBOL.")));
    }
}
