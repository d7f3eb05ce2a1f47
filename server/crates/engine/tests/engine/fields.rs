//! Fields of profiles from an answer to the queue: what does not fit is dropped and counted, what is filled is consolidated.

use domain::{
    candidate::{Action, Flag, Reason},
    permission::Permission,
    profile,
};
use engine::{AgentPatch, Approval, CandidateView, OperationView, Version};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::world::World;

async fn world(db: &TestDb) -> World {
    let world = World::new(db).await;
    let schema = json!({
        "type": "object",
        "properties": {
            "stack": {"type": "string"},
            "job_status": {"type": "string", "enum": ["student", "employed"]},
            "birthday": {"type": "string", "format": "date"},
            "years": {"type": "integer"},
            "vegan": {"type": "boolean"},
            "remote": {"type": "boolean"},
        },
    });
    world
        .engine
        .create_schema(
            &world.mia(Permission::Administer),
            &world.agent,
            "p",
            schema,
        )
        .await
        .unwrap();
    world
}

fn field(name: &str, value: impl Into<Value>, evidence: &str) -> Value {
    json!({"schema": "p", "field": name, "value": value.into(), "confidence": 0.9, "importance": 0.6, "evidence": evidence, "explanation": "said so"})
}

/// Says something of which the extractor makes these fields.
async fn says(world: &World, words: &str, fields: &[Value]) -> OperationView {
    world
        .script
        .says(&json!({"candidates": [], "fields": fields}));
    let accepted = world.say("ana", &[words]).await;
    world.work().await;
    world.operation(&accepted).await
}

async fn only(world: &World) -> CandidateView {
    let waiting = world.waiting().await;
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    waiting.into_iter().next().unwrap()
}

async fn approve(world: &World) {
    let candidate = only(world).await;
    world
        .engine
        .approve(
            &world.mia(Permission::Decide),
            &candidate.id,
            None,
            Approval::default(),
        )
        .await
        .unwrap();
}

store::both! {
    // F10, G10
    async fn a_value_in_no_language_is_in_that_of_who_says_it(db: &TestDb) {
        let world = world(db).await;
        let tokyo = world.proposed("mei", "fact", None, "ユーザーは東京に住んでいる").await;
        world.engine.approve(&world.mia(Permission::Decide), &tokyo.id, None, Approval::default()).await.unwrap();
        for (user, words, value, language) in [
            ("kenji", "私の仕事は看護師です", "看護師", "ja"),
            ("yuki", "Python を使っています", "Python", "ja"),
            ("wei", "我是护士，我们说中文", "护士", "zh"),
            ("ana", "I use Python at work", "Python", "en"),
            // Neither the message nor the value tells; what is known of the user does.
            ("mei", "看護師", "看護師", "ja"),
            ("sora", "看護師", "看護師", "zh"),
        ] {
            world.script.says(&json!({"candidates": [], "fields": [field("stack", value, value)]}));
            let accepted = world.say(user, &[words]).await;
            world.work().await;
            let made = world.operation(&accepted).await.candidates;
            assert_eq!(world.candidate(&made[0]).await.language, language, "{user}");
        }
        world.script.says(&json!({"candidates": [
            {"kind": "fact", "content": "看護師", "confidence": 0.9, "importance": 0.7, "evidence": "看護師"},
        ]}));
        let accepted = world.say("emi", &["私の仕事は看護師です"]).await;
        world.work().await;
        let made = world.operation(&accepted).await.candidates;
        assert_eq!(world.candidate(&made[0]).await.language, "ja", "a statement in characters of both");
    }

    // D2
    async fn only_fields_of_the_schema_and_only_values_that_fit(db: &TestDb) {
        let world = world(db).await;
        let words = "I retired last spring, I have coded for 12 years and I take size 42";
        let done = says(&world, words, &[
            field("job_status", "retired", "I retired"),
            field("birthday", "last spring", "last spring"),
            field("shoe_size", 42, "size 42"),
            json!({"schema": "other", "field": "stack", "value": "x", "confidence": 0.9, "importance": 0.5, "evidence": "I retired"}),
            json!({"value": "x", "confidence": 0.9, "importance": 0.5, "evidence": "I retired"}),
            field("years", "12", "for 12 years"),
            field("stack", "Rust", "I love Rust"),
            field("vegan", Value::Null, "I retired"),
        ]).await;
        assert_eq!(done.dropped.get("bad_metadata"), Some(&5), "{done:?}");
        assert_eq!(done.dropped.get("no_evidence"), Some(&1));
        let years = only(&world).await;
        assert_eq!((years.name.as_deref(), years.content.as_str()), (Some("p/years"), "12"));
        // Written as the schema wants it, because nothing is lost by it.
        assert_eq!(years.metadata["value"], 12);
        assert_eq!(years.explanation.as_deref(), Some("said so"));
    }

    // D3, A3
    async fn what_waits_is_joined_with_its_words_carried_along(db: &TestDb) {
        let world = world(db).await;
        says(&world, "I build with ADK", &[field("stack", "ADK", "build with ADK")]).await;
        says(&world, "I write Python", &[field("stack", "Python", "write Python")]).await;
        let both = only(&world).await;
        assert_eq!((both.action, both.content.as_str()), (Action::Create, "ADK, Python"));
        let quotes: Vec<&str> = both.evidence.iter().map(|piece| piece.quote.as_str()).collect();
        assert_eq!(quotes, ["write Python", "build with ADK"]);
        let detail = world.engine.candidate(&world.mia(Permission::ReadCandidates), &both.id).await.unwrap();
        assert_eq!(detail.supersedes[0].content, "ADK");

        let again = says(&world, "python it is", &[field("stack", "python", "python it is")]).await;
        assert_eq!((again.sightings, again.candidates.len()), (1, 0));
        approve(&world).await;

        // Against the approved value, however often more is said.
        says(&world, "I write Rust", &[field("stack", "Rust", "write Rust")]).await;
        let done = says(&world, "and some Go", &[field("stack", "Go", "some Go")]).await;
        let update = only(&world).await;
        assert_eq!((update.action, update.content.as_str()), (Action::Update, "ADK, Python, Rust, Go"));
        assert_eq!((update.metadata["extracted"].clone(), done.candidates.len()), (json!("Rust, Go"), 1));
        assert!(update.flags.is_empty(), "{:?}", update.flags);

        // What is approved said again leaves the change that waits where it is: it only adds.
        let seen = says(&world, "ADK still", &[field("stack", "ADK", "ADK still")]).await;
        assert_eq!((seen.sightings, only(&world).await.id), (1, update.id));
        world.verify().await;
    }

    // D3
    async fn two_values_of_one_window_are_one_proposal(db: &TestDb) {
        let world = world(db).await;
        let done = says(&world, "I use ADK and write Python", &[
            field("stack", "ADK", "I use ADK"),
            field("stack", "Python", "write Python"),
            field("stack", "Cobol", "I love Cobol"),
        ]).await;
        let stack = only(&world).await;
        assert_eq!((stack.content.as_str(), stack.evidence.len(), done.candidates.len()), ("ADK, Python", 2, 1));
        assert_eq!(done.dropped.get("no_evidence"), Some(&1), "what nobody said is not joined");
    }

    // B5, D3, F4
    async fn another_value_of_an_enum_is_an_update_and_a_contradiction(db: &TestDb) {
        let world = world(db).await;
        says(&world, "As a student I ask", &[field("job_status", "Student", "As a student")]).await;
        approve(&world).await;
        says(&world, "I am employed now", &[field("job_status", "employed", "I am employed")]).await;
        let update = only(&world).await;
        assert_eq!((update.action, update.content.as_str(), &update.flags[..]), (Action::Update, "employed", &[Flag::Contradiction][..]));
        world.engine.reject(&world.mia(Permission::Decide), &update.id, None, Reason::Wrong, None).await.unwrap();
        let again = says(&world, "yes, I am employed", &[field("job_status", "employed", "I am employed")]).await;
        assert_eq!((again.suppressed, again.candidates.len()), (1, 0));
        // The same word in another field is another statement.
        says(&world, "my stack is employed", &[field("stack", "employed", "my stack is employed")]).await;
        assert_eq!(only(&world).await.name.as_deref(), Some("p/stack"));
    }

    // D4
    async fn two_fields_may_hold_the_same(db: &TestDb) {
        let world = world(db).await;
        let done = says(&world, "I am vegan and I work remotely", &[
            field("vegan", true, "I am vegan"),
            field("remote", true, "work remotely"),
        ]).await;
        assert_eq!((done.candidates.len(), done.sightings, world.waiting().await.len()), (2, 0, 2));
    }

    // D8
    async fn with_natural_language_off_only_profiles_are_made(db: &TestDb) {
        let world = world(db).await;
        let patch = AgentPatch { natural_language: Some(false), ..AgentPatch::default() };
        world.engine.change_agent(&world.mia(Permission::Administer), &world.agent, None, patch).await.unwrap();
        world.script.says(&json!({
            "candidates": [{"kind": "preference", "content": "User likes Rust", "confidence": 0.9, "importance": 0.7, "evidence": "I like Rust"}],
            "fields": [field("stack", "Rust", "I like Rust")],
            "summary": {"content": "The user likes Rust.", "importance": 0.5},
        }));
        let accepted = world.say("ana", &["I like Rust"]).await;
        world.work().await;
        let stack = only(&world).await;
        assert_eq!((stack.kind.as_str(), stack.content.as_str()), (profile::KIND, "Rust"));
        let done = world.operation(&accepted).await;
        assert_eq!(done.dropped.get("kind_not_in_use"), Some(&1));
        let window = &world.script.windows()[0];
        assert_eq!(window.kinds.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>(), [profile::KIND]);
        assert!(!window.wants_summary());
    }

    // C3, D2
    async fn what_was_read_with_the_window_before_fills_no_field_again(db: &TestDb) {
        let world = world(db).await;
        world.script.says(&json!({"candidates": [], "fields": [field("stack", "ADK", "I build with ADK")]}));
        world.script.says(&json!({
            "candidates": [{"kind": "fact", "content": "User builds with ADK", "confidence": 0.9, "importance": 0.7, "evidence": "I build with ADK"}],
            "fields": [field("stack", "Agents", "I build with ADK"), field("vegan", true, "I am vegan")],
        }));
        let mut words: Vec<String> = (1..=25).map(|n| format!("message number {n}")).collect();
        words[17] = "I build with ADK".to_owned();
        words[22] = "I am vegan".to_owned();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let accepted = world.say("ana", &words).await;
        world.work().await;
        let window = &world.script.windows()[1];
        assert!(window.turns.iter().any(|turn| turn.reference && turn.text == "I build with ADK"));
        let done = world.operation(&accepted).await;
        let waiting = world.waiting().await;
        let mut contents: Vec<&str> = waiting.iter().map(|candidate| candidate.content.as_str()).collect();
        contents.sort_unstable();
        assert_eq!((contents, done.candidates.len(), done.sightings), (vec!["ADK", "true"], 2, 0));
    }

    // G1
    async fn forgetting_goes_for_the_statement_and_the_field_that_holds_the_same(db: &TestDb) {
        let world = world(db).await;
        world.script.says(&json!({
            "candidates": [{"kind": "fact", "content": "User writes Cobol", "confidence": 0.9, "importance": 0.7, "evidence": "I write Cobol"}],
            "fields": [field("stack", "Cobol", "I write Cobol")],
            "summary": {"content": "The user writes Cobol and asked for a job.", "importance": 0.5},
        }));
        world.say("ana", &["I write Cobol"]).await;
        world.work().await;
        for candidate in world.waiting().await {
            world.engine.approve(&world.mia(Permission::Decide), &candidate.id, None, Approval::default()).await.unwrap();
        }
        world.say("ana", &["Please forget that I write Cobol"]).await;
        world.work().await;
        let mut retires: Vec<(Action, String, String)> = world.waiting().await.into_iter()
            .map(|candidate| (candidate.action, candidate.kind, candidate.content))
            .collect();
        retires.sort_by(|a, b| a.1.cmp(&b.1));
        let retire = |kind: &str, content: &str| (Action::Retire, kind.to_owned(), content.to_owned());
        assert_eq!(retires, [
            retire("fact", "User writes Cobol"),
            retire(profile::KIND, "Cobol"),
            retire("session_summary", "The user writes Cobol and asked for a job."),
        ]);
    }

    // C8
    async fn a_made_up_candidate_of_the_field_kind_is_none(db: &TestDb) {
        let world = world(db).await;
        world.script.says(&json!({"candidates": [
            {"kind": "profile_field", "name": "p/stack", "content": "Rust", "confidence": 0.9, "importance": 0.7, "evidence": "I like Rust"},
            {"kind": "session_summary", "content": "Rust", "confidence": 0.9, "importance": 0.7, "evidence": "I like Rust"},
        ]}));
        let accepted = world.say("ana", &["I like Rust"]).await;
        world.work().await;
        let done = world.operation(&accepted).await;
        assert!(world.waiting().await.is_empty());
        assert_eq!((done.dropped.get("bad_metadata"), done.dropped.get("kind_not_in_use")), (Some(&1), Some(&1)));
    }

    // D3, F1
    async fn what_a_person_took_out_is_not_brought_back_by_what_waits(db: &TestDb) {
        let world = world(db).await;
        says(&world, "I use ADK and Cobol", &[field("stack", "ADK, Cobol", "ADK and Cobol")]).await;
        let stack = only(&world).await;
        approve(&world).await;
        let memory = world.candidate(&stack.id).await.memory.unwrap();
        says(&world, "I write Python", &[field("stack", "Python", "write Python")]).await;
        assert_eq!(only(&world).await.content, "ADK, Cobol, Python");
        let edit = domain::candidate::Edit { content: Some("ADK".into()), ..Default::default() };
        let decide = world.mia(Permission::Decide);
        let edited = world.engine.edit_memory(&decide, &memory, Version::Any, edit, None).await.unwrap();
        assert_eq!(edited.content, "ADK");
        says(&world, "I write Java", &[field("stack", "Java", "write Java")]).await;
        let update = only(&world).await;
        assert_eq!((update.content.as_str(), &update.metadata["extracted"]), ("ADK, Python, Java", &json!("Python, Java")));

        // Forgotten as a whole: only what was said for the change that waits is left of it.
        world.engine.retire_memory(&decide, &memory, Version::Any, None).await.unwrap();
        says(&world, "I write Go", &[field("stack", "Go", "write Go")]).await;
        let fresh = only(&world).await;
        assert_eq!((fresh.action, fresh.content.as_str()), (Action::Create, "Python, Java, Go"));
        world.verify().await;
    }

    // F4, D3
    async fn what_was_rejected_does_not_come_back_in_other_company(db: &TestDb) {
        let world = world(db).await;
        says(&world, "I use ADK", &[field("stack", "ADK", "I use ADK")]).await;
        approve(&world).await;
        says(&world, "I write Python", &[field("stack", "Python", "write Python")]).await;
        let wrong = only(&world).await;
        assert_eq!(wrong.content, "ADK, Python");
        world.engine.reject(&world.mia(Permission::Decide), &wrong.id, None, Reason::Wrong, None).await.unwrap();
        says(&world, "I write Java", &[field("stack", "Java", "write Java")]).await;
        assert_eq!(only(&world).await.content, "ADK, Java");
        let again = says(&world, "I write python", &[field("stack", "python", "write python")]).await;
        assert_eq!((again.suppressed, again.candidates.len()), (1, 0));
        assert_eq!(only(&world).await.content, "ADK, Java");
        approve(&world).await;
        let again = says(&world, "Python, as I said", &[field("stack", "Python", "Python, as I said")]).await;
        assert_eq!((again.suppressed, again.candidates.len()), (1, 0));
        world.verify().await;
    }
}
