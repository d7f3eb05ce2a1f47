//! Dry runs (G14): another extractor over the last conversations, beside what came of them, and nothing of it anywhere else.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::{
    agent::{AgentName, AgentScope, AgentSettings, Budget},
    audit::EventType,
    candidate::{Reason, Status},
    dry_run::{Difference, DryRunState, TrialState},
    erasure::ErasureReason,
    id::DryRunId,
    permission::{Grant, Permission, Permit, RoleName},
    time::Span,
    user::Scope,
};
use engine::{
    AgentPatch, Approval, Basis, BudgetPatch, DryRunDetail, DryRunEstimate, DryRunView, Engine,
    EngineError, EventFilter, Extractor, Extractors, NewDryRun, Page, PersonPatch, Provenance,
    TriedWords, UserRef,
    extractor::{
        Extract, ExtractError, Extracted, Retry, Window,
        model::{ModelConfig, extractors},
    },
};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use store::{Erasing, Stamp, testing::TestDb};

use crate::{
    model::stub::{Wire, spoken},
    world::{Script, World, id_of, system},
};

/// An agent whose conversations one extractor reads, and another that is tried.
struct Two {
    world: World,
    today: Arc<Script>,
    other: Arc<Script>,
}

/// Tells that it was asked, and does not answer before it may.
#[derive(Default)]
struct Silent {
    script: Script,
    answers: AtomicBool,
    asked: tokio::sync::Notify,
}

impl Extract for Silent {
    fn extract<'a>(&'a self, window: &'a Window) -> BoxFuture<'a, Result<Extracted, ExtractError>> {
        if self.answers.load(Ordering::SeqCst) {
            return self.script.extract(window);
        }
        self.asked.notify_one();
        Box::pin(std::future::pending())
    }

    fn provenance(&self) -> Provenance {
        self.script.provenance()
    }
}

impl Two {
    async fn new(db: &TestDb) -> Self {
        let (today, other) = (Arc::<Script>::default(), Arc::<Script>::default());
        let extractors = Extractors::new(Extractor::Custom(today.clone()))
            .with("other", Extractor::Custom(other.clone()));
        let world = World::with_extractors(db, extractors).await;
        Self {
            world,
            today,
            other,
        }
    }

    fn admin(&self) -> Permit {
        self.world.mia(Permission::Administer)
    }

    /// Says something that is read for good.
    async fn says(&self, user: &str, words: &[&str], came: &Value) {
        // Ids are told apart by their time.
        self.world.pass(Span::minutes(1));
        self.today.says(came);
        self.world.say(user, words).await;
        self.world.work().await;
    }

    async fn starts(&self, new: NewDryRun) -> Result<DryRunView, EngineError> {
        let new = NewDryRun {
            extractor: new.extractor.or(Some(Some("other".into()))),
            ..new
        };
        self.world
            .engine
            .start_dry_run(&self.admin(), &self.world.agent, &new)
            .await
    }

    async fn estimates(&self, new: &NewDryRun) -> Result<DryRunEstimate, EngineError> {
        self.world
            .engine
            .estimate_dry_run(&self.admin(), &self.world.agent, new)
            .await
    }

    async fn works(&self) {
        drained(&self.world.engine).await;
    }

    async fn sees(&self, id: &DryRunId) -> DryRunDetail {
        self.world
            .engine
            .dry_run(&self.admin(), &self.world.agent, id)
            .await
            .unwrap()
    }

    async fn sets(&self, patch: AgentPatch) {
        self.world
            .engine
            .change_agent(&self.admin(), &self.world.agent, None, patch)
            .await
            .unwrap();
    }

    async fn told(&self) -> Vec<(EventType, Value)> {
        let filter = EventFilter {
            agent: Some(self.world.agent.to_string()),
            ..EventFilter::default()
        };
        let reads = self.world.mia(Permission::ReadAudit);
        let page = Page {
            limit: 200,
            ..Page::default()
        };
        let events = self
            .world
            .engine
            .events(&reads, &filter, &page)
            .await
            .unwrap();
        let mut told: Vec<_> = events
            .data
            .into_iter()
            .filter(|event| event.r#type.as_str().starts_with("dry_run."))
            .map(|event| (event.r#type, Value::Object(event.data)))
            .collect();
        told.sort_by_key(|(r#type, _)| *r#type == EventType::DryRunEnded);
        told
    }
}

fn found(items: &[(&str, &str, &str)]) -> Value {
    let items: Vec<Value> = items
        .iter()
        .map(|(kind, content, evidence)| {
            json!({"kind": kind, "content": content, "confidence": 0.9, "importance": 0.7, "evidence": [evidence]})
        })
        .collect();
    json!({"candidates": items})
}

fn nothing() -> Value {
    found(&[])
}

/// All rows of the agent, but for those that a dry run makes.
async fn rows(db: &TestDb) -> BTreeMap<String, i64> {
    let rows = db.rows_of_agent("support").await.into_iter();
    rows.filter(|(table, _)| !table.starts_with("dry_run") && table != "events")
        .collect()
}

async fn events(db: &TestDb) -> i64 {
    let rows = db.rows_of_agent("support").await;
    rows.into_iter()
        .find(|(table, _)| table == "events")
        .unwrap()
        .1
}

const SAID: &str = "I drink green tea. I live in Oslo. I have a dog. I work as a nurse.";

/// Works until nothing more is due. A beat that was given up in the middle still has its row for a moment, and the claim passes over it.
async fn drained(engine: &Engine) {
    let mut idle = 0;
    while idle < 50 {
        idle = if engine.work_dry_run_once().await.unwrap() {
            0
        } else {
            idle + 1
        };
        tokio::task::yield_now().await;
    }
}

store::both! {
    // G14, G11: over the wire, from the estimate to the figures.
    async fn another_model_is_tried_beside_today_and_nothing_else_is_written(db: &TestDb) {
        let provider = spoken().await;
        let config = ModelConfig {
            model: "house-model".into(),
            base_url: Some(format!("{}/v1", provider.server.uri())),
            api_key: Some("the-key".to_owned().into()),
            timeout: Duration::from_secs(20),
        };
        let world = World::with_extractors(db, extractors(&config).unwrap()).await;
        let says = |answer: Value| provider.says(Wire::OpenAi.answer(&answer.to_string(), false));
        says(found(&[
            ("preference", "User drinks green tea", "I drink green tea"),
            ("fact", "User lives in Oslo", "I live in Oslo"),
            ("fact", "User has a dog", "I have a dog"),
        ]));
        world.say("ana", &[SAID]).await;
        world.work().await;
        says(nothing());
        world.pass(Span::minutes(1));
        world.say("bo", &["Hello there, what is the time?"]).await;
        world.work().await;
        let waiting = world.waiting().await;
        let of = |content: &str| waiting.iter().find(|one| one.content.contains(content)).unwrap().id.clone();
        let decides = world.mia(Permission::Decide);
        world.engine.approve(&decides, &of("tea"), None, Approval::default()).await.unwrap();
        world.engine.reject(&decides, &of("dog"), None, Reason::Wrong, None).await.unwrap();
        let admin = world.mia(Permission::Administer);
        let budget = Budget { price_in: Some(10.0), price_out: Some(100.0), ..Budget::default() };
        let prices = AgentPatch { budget: Some(BudgetPatch::from(budget)), ..AgentPatch::default() };
        world.engine.change_agent(&admin, &world.agent, None, prices).await.unwrap();

        let new = NewDryRun {
            extractor: Some(Some("openai::other-model".into())),
            guidance: Some(Some("Nothing about moods.".into())),
            kinds: [("preference".to_owned(), TriedWords { description: Some("Wishes that last.".into()), ..TriedWords::default() })].into(),
            price_in: Some(20.0),
            price_out: Some(200.0),
            ..NewDryRun::default()
        };
        let (before, chain) = (rows(db).await, events(db).await);
        let estimate = world.engine.estimate_dry_run(&admin, &world.agent, &new).await.unwrap();
        assert_eq!((estimate.conversations, estimate.windows, estimate.basis), (2, 2, Basis::Conversations));
        assert_eq!((estimate.tokens_in, estimate.tokens_out, estimate.cost), (Some(200), Some(40), Some(0.012)));
        assert_eq!(estimate.extractor, "openai::other-model");
        assert_eq!((rows(db).await, events(db).await), (before.clone(), chain), "an estimate writes nothing");

        let served = world.served("ana").await;
        world.engine.flush().await.unwrap();
        let (before, chain) = (rows(db).await, events(db).await);
        let asked = provider.server.received_requests().await.unwrap().len();
        let run = world.engine.start_dry_run(&admin, &world.agent, &new).await.unwrap();
        // The newest conversation first.
        assert!(world.engine.work_dry_run_once().await.unwrap());
        says(found(&[
            ("preference", "The user would rather have tea that is green", "I drink green tea"),
            ("context", "User lives in Oslo", "I live in Oslo"),
            ("fact", "User has a dog", "I have a dog"),
            ("fact", "User works as a nurse", "I work as a nurse"),
            ("fact", "User is a king", "I am a king"),
        ]));
        drained(&world.engine).await;

        let requests = provider.server.received_requests().await.unwrap();
        let requests = &requests[asked..];
        assert_eq!(requests.len(), 2);
        for request in requests {
            let body: Value = request.body_json().unwrap();
            assert_eq!(body["model"], "other-model");
            let (system, window) = Wire::OpenAi.asked(request);
            assert!(system.contains("Nothing about moods.") && system.contains("Wishes that last."), "{system}");
            assert_eq!(window["memories"], json!([]), "what is stored since is not told");
        }

        let detail = world.engine.dry_run(&admin, &world.agent, &run.id).await.unwrap();
        assert_eq!((detail.run.state, detail.run.done, detail.run.windows, detail.run.windows_failed), (DryRunState::Done, 2, 2, 0));
        assert_eq!((detail.run.tokens_in, detail.run.tokens_out, detail.run.cost), (200, 40, Some(0.012)));
        let totals = &detail.totals;
        assert_eq!((totals.same, totals.other_kind, totals.only_today, totals.only_new), (2, 1, 0, 1));
        assert_eq!((totals.today.approved, totals.today.rejected, totals.today.undecided), (1, 1, 1));
        assert_eq!((totals.new.approved, totals.new.rejected, totals.new.undecided), (1, 1, 2));
        assert_eq!((totals.today_junk, totals.new_junk), (Some(0.5), Some(0.5)));
        assert_eq!((totals.today_tokens_in, totals.today_tokens_out, totals.today_cost), (200, 40, Some(0.006)));
        assert_eq!(totals.dropped.values().sum::<u32>(), 1, "the king was never said: {:?}", totals.dropped);
        assert!(detail.items[0].lines.is_empty() && detail.items[0].state == TrialState::Done);
        let ana = &detail.items[1];
        assert_eq!(ana.who, "ana");
        let bo = &detail.items[0];
        assert_eq!(bo.said_at.unwrap() - ana.said_at.unwrap(), Span::minutes(1), "when it was said, not when it was tried");
        let lines: Vec<_> = ana.lines.iter().map(|line| (line.difference, line.today.as_ref().map(|one| one.status))).collect();
        assert_eq!(lines, [
            (Difference::Same, Some(Status::Approved)),
            (Difference::OtherKind, Some(Status::Pending)),
            (Difference::Same, Some(Status::Rejected)),
            (Difference::OnlyNew, None),
        ]);

        assert_eq!(rows(db).await, before, "no candidate, sighting, extraction or memory");
        assert_eq!(events(db).await, chain + 2, "its beginning and its end");
        assert_eq!(world.waiting().await.len(), 1);
        assert_eq!(world.served("ana").await, served);
        let figures = world.engine.agent_figures(&world.mia(Permission::ReadAgents), &world.agent).await.unwrap();
        assert_eq!((figures.today.tokens_in, figures.today.tokens_out), (400, 80));
        assert_eq!((figures.today.dry_run_tokens_in, figures.today.dry_run_tokens_out), (200, 40));
        world.verify().await;
    }

    // G14
    async fn who_could_not_be_asked_and_what_would_not_be_read_are_told_before_it_begins(db: &TestDb) {
        let config = ModelConfig {
            model: "builtin".into(),
            base_url: None,
            api_key: None,
            timeout: Duration::from_secs(20),
        };
        let keyless = extractors(&config).unwrap().in_environment(|_| false);
        let world = World::with_extractors(db, keyless).await;
        world.say("ana", &[SAID]).await;
        world.work().await;
        let admin = world.mia(Permission::Administer);
        let on = |extractor: &str| NewDryRun { extractor: Some(Some(extractor.into())), ..NewDryRun::default() };
        let estimated = world.engine.estimate_dry_run(&admin, &world.agent, &on("openai::gpt-4.1-mini")).await;
        let begun = world.engine.start_dry_run(&admin, &world.agent, &on("openai::gpt-4.1-mini")).await;
        for refused in [estimated.unwrap_err(), begun.unwrap_err()] {
            let field = refused.fields().remove(0);
            assert_eq!((field.pointer.as_str(), field.code), ("/extractor", "no_key"));
            assert!(field.detail.contains("KEEPSAKE_EXTRACTOR_API_KEY") && field.detail.contains("OPENAI_API_KEY"), "{}", field.detail);
        }
        let local = world.engine.estimate_dry_run(&admin, &world.agent, &on("ollama::qwen3:8b")).await;
        assert!(!local.unwrap().words_unread, "one that takes no key is asked, and reads what it is told");

        let words = |words: TriedWords| NewDryRun { kinds: [("preference".to_owned(), words)].into(), ..on("builtin") };
        let guided = NewDryRun { guidance: Some(Some("Nothing about moods.".into())), ..on("builtin") };
        for (new, unread) in [
            (on("builtin"), false),
            (guided.clone(), true),
            (words(TriedWords { guideline: Some(Some("Only how to be helped.".into())), ..TriedWords::default() }), true),
            (words(TriedWords { enabled: Some(false), ..TriedWords::default() }), false),
        ] {
            let estimate = world.engine.estimate_dry_run(&admin, &world.agent, &new).await.unwrap();
            assert_eq!(estimate.words_unread, unread, "{new:?}");
        }
        let run = world.engine.start_dry_run(&admin, &world.agent, &guided).await.unwrap();
        assert!(run.words_unread);
        drained(&world.engine).await;
        let detail = world.engine.dry_run(&admin, &world.agent, &run.id).await.unwrap();
        assert!(detail.run.words_unread && detail.totals.only_new == 0, "{:?}", detail.totals);
    }

    // G14: what is known then is what was known then.
    async fn a_conversation_is_judged_by_what_was_known_before_it(db: &TestDb) {
        let two = Two::new(db).await;
        let tea = found(&[("preference", "User drinks green tea", "I drink green tea")]);
        two.says("ana", &["I drink green tea"], &tea).await;
        let first = two.world.waiting().await.remove(0);
        two.world.pass(Span::minutes(1));
        two.world.engine.approve(&two.world.mia(Permission::Decide), &first.id, None, Approval::default()).await.unwrap();
        let dog = found(&[("fact", "User has a dog", "I have a dog")]);
        two.world.pass(Span::minutes(1));
        two.says("ana", &["I have a dog"], &dog).await;
        let second = two.world.waiting().await.remove(0);
        two.world.pass(Span::minutes(1));
        two.world.engine.reject(&two.world.mia(Permission::Decide), &second.id, None, Reason::Wrong, None).await.unwrap();
        two.world.pass(Span::minutes(1));
        let both = found(&[("preference", "User drinks green tea", "I drink green tea"), ("fact", "User has a dog", "I have a dog")]);
        two.says("ana", &["I drink green tea and I have a dog"], &nothing()).await;

        // Newest first: the third conversation knows of both, the second of the tea, the first of nothing.
        for answer in [&both, &dog, &tea] {
            two.other.says(answer);
        }
        let run = two.starts(NewDryRun::default()).await.unwrap();
        two.works().await;
        let detail = two.sees(&run.id).await;
        let counts: Vec<_> = detail.items.iter().map(|item| (item.lines.len(), item.sightings, item.suppressed)).collect();
        assert_eq!(counts, [(0, 1, 1), (1, 0, 0), (1, 0, 0)]);
        assert_eq!(detail.totals.new.rejected, 2, "what was rejected before, and what is like it");
        let told: Vec<usize> = two.other.windows().iter().map(|window| window.nearest.len()).collect();
        assert_eq!(told, [1, 1, 0]);
    }

    // G14
    async fn the_budget_holds_a_dry_run_up_and_it_goes_on_with_the_next_day(db: &TestDb) {
        let two = Two::new(db).await;
        two.says("ana", &["I drink green tea"], &nothing()).await;
        two.says("bo", &["I drink black tea"], &nothing()).await;
        // A window of a script reads 10 tokens and writes 5; two were read today.
        let budget = Budget { tokens_per_day: Some(45), ..Budget::default() };
        two.sets(AgentPatch { budget: Some(budget.into()), ..AgentPatch::default() }).await;
        let estimate = two.estimates(&NewDryRun { extractor: Some(Some("other".into())), ..NewDryRun::default() }).await.unwrap();
        assert_eq!((estimate.tokens_in, estimate.tokens_out, estimate.cost), (Some(20), Some(10), None));
        assert!(estimate.used.unwrap() < 0.7 && estimate.used_after.unwrap() > 1.3, "{estimate:?}");
        let run = two.starts(NewDryRun::default()).await.unwrap();
        two.works().await;
        let waits = two.sees(&run.id).await.run;
        assert_eq!((waits.state, waits.done, waits.error.as_deref()), (DryRunState::Running, 1, Some("budget")));
        assert_eq!(waits.waits_until.unwrap().timestamp() % 86_400, 0);
        assert_eq!(two.other.windows().len(), 1);
        two.world.pass(Span::days(1));
        two.works().await;
        let done = two.sees(&run.id).await.run;
        assert_eq!((done.state, done.done, done.tokens_in, done.error), (DryRunState::Done, 2, 20, None));
    }

    // G14
    async fn a_provider_that_is_busy_is_asked_again_and_one_that_refuses_is_not(db: &TestDb) {
        let two = Two::new(db).await;
        two.says("ana", &["I drink green tea"], &nothing()).await;
        two.says("bo", &["I drink black tea"], &nothing()).await;
        let fails = |retry, code| ExtractError { retry, code, raw: None, tokens_in: 3, tokens_out: 1 };
        two.other.fails(fails(Retry::After(None), "rate_limited"));
        let run = two.starts(NewDryRun::default()).await.unwrap();
        two.works().await;
        let waits = two.sees(&run.id).await.run;
        assert_eq!((waits.state, waits.error.as_deref()), (DryRunState::Running, Some("rate_limited")));
        two.world.pass(Span::minutes(1));
        two.other.says(&nothing());
        two.other.fails(fails(Retry::Never, "refused"));
        two.works().await;
        let done = two.sees(&run.id).await;
        assert_eq!((done.run.state, done.run.done, done.run.failed), (DryRunState::Done, 1, 1));
        assert_eq!(done.items[1].error.as_deref(), Some("refused"));
        assert_eq!((done.run.tokens_in, done.run.tokens_out), (16, 7), "what came to nothing was paid for too");
        assert_eq!(done.run.windows, 1, "and was no answer");
        let figures = two.world.engine.agent_figures(&two.world.mia(Permission::ReadAgents), &two.world.agent).await.unwrap();
        assert_eq!((figures.today.dry_run_tokens_in, figures.today.tokens_in), (16, 36));
    }

    // G14
    async fn a_window_that_ends_every_process_ends_its_conversation_and_no_more(db: &TestDb) {
        let two = Two::new(db).await;
        two.says("ana", &["I drink green tea"], &nothing()).await;
        two.says("bo", &["I drink black tea"], &nothing()).await;
        let run = two.starts(NewDryRun::default()).await.unwrap();
        let engine = &two.world.engine;
        for _ in 0..engine.settings().attempts {
            // A process that dies while it waits for the answer.
            let now = engine.now();
            let until = now + Span::seconds(30);
            let claim = engine.db().claim_work::<DryRunId>(now, until).await.unwrap().unwrap();
            let mut tx = engine.db().write(AgentScope::All).await.unwrap();
            let under_way = tx.dry_run(&run.id).await.unwrap().unwrap();
            let item = tx.next_dry_run_item(&under_way).await.unwrap().unwrap();
            assert!(tx.begin_try(&claim, &item, until).await.unwrap());
            tx.commit().await.unwrap();
            two.world.pass(Span::seconds(31));
        }
        two.works().await;
        let done = two.sees(&run.id).await;
        assert_eq!((done.run.state, done.run.done, done.run.failed), (DryRunState::Done, 1, 1));
        assert_eq!((done.items[0].state, done.items[0].error.as_deref()), (TrialState::Failed, Some("crashed")));
        assert_eq!(two.other.windows().len(), 1, "the other conversation is read");

        // A try that comes back is not counted twice.
        let again = two.starts(NewDryRun::default()).await.unwrap();
        let fails = ExtractError { retry: Retry::After(None), code: "rate_limited", raw: None, tokens_in: 0, tokens_out: 0 };
        two.other.fails(fails);
        assert!(engine.work_dry_run_once().await.unwrap());
        let mut tx = engine.db().read(AgentScope::All).await.unwrap();
        let under_way = tx.dry_run(&again.id).await.unwrap().unwrap();
        assert_eq!(tx.next_dry_run_item(&under_way).await.unwrap().unwrap().attempt, 1);
    }

    // G14, F11
    async fn a_stop_counts_as_no_try_however_often_it_comes(db: &TestDb) {
        let today = Arc::<Script>::default();
        let silent = Arc::<Silent>::default();
        let extractors = Extractors::new(Extractor::Custom(today.clone()))
            .with("other", Extractor::Custom(silent.clone()));
        let world = World::with_extractors(db, extractors).await;
        let two = Two { world, today, other: Arc::default() };
        two.says("ana", &["I drink green tea"], &nothing()).await;
        let run = two.starts(NewDryRun::default()).await.unwrap();
        let engine = &two.world.engine;
        let stops = engine.settings().attempts + 1;
        for _ in 0..stops {
            engine.run(silent.asked.notified()).await;
        }
        let mut tx = engine.db().read(AgentScope::All).await.unwrap();
        let under_way = tx.dry_run(&run.id).await.unwrap().unwrap();
        assert_eq!(tx.next_dry_run_item(&under_way).await.unwrap().unwrap().attempt, 0);
        drop(tx);
        silent.answers.store(true, Ordering::SeqCst);
        two.works().await;
        let done = two.sees(&run.id).await;
        assert_eq!((done.run.state, done.run.done, done.run.failed), (DryRunState::Done, 1, 0));
    }

    // G14
    async fn a_dry_run_ends_with_the_rights_of_who_asked_for_it(db: &TestDb) {
        let two = Two::new(db).await;
        two.says("ana", &["I drink green tea"], &nothing()).await;
        let manages = system(Permission::ManagePeople);
        let reviewer = vec![Grant::everywhere(RoleName::Reviewer)];
        let demoted = PersonPatch { grants: Some(reviewer), ..PersonPatch::default() };
        let out = PersonPatch { active: Some(false), ..PersonPatch::default() };
        for (patch, why) in [(demoted, "forbidden"), (out, "deactivated")] {
            let new = NewDryRun { extractor: Some(Some("other".into())), ..NewDryRun::default() };
            let engine = &two.world.engine;
            let run = engine.start_dry_run(&two.world.aiko(Permission::Administer), &two.world.agent, &new).await.unwrap();
            engine.change_person(&manages, &id_of(&two.world.aiko), None, patch).await.unwrap();
            two.works().await;
            let ended = two.sees(&run.id).await.run;
            assert_eq!((ended.state, ended.error.as_deref()), (DryRunState::Failed, Some(why)));
        }
        assert!(two.other.windows().is_empty(), "nothing was spent");
    }

    // G14
    async fn who_dies_in_the_middle_leaves_the_rest_to_another_and_who_is_stopped_stops(db: &TestDb) {
        let two = Two::new(db).await;
        let long: Vec<String> = (0..45).map(|number| format!("I have visited house {number}")).collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        for _ in 0..2 {
            two.today.says(&nothing());
        }
        two.says("ana", &long, &nothing()).await;
        let run = two.starts(NewDryRun::default()).await.unwrap();
        assert!(two.world.engine.work_dry_run_once().await.unwrap());
        let now = two.world.engine.now();
        let given = two.world.engine.db().claim_work::<DryRunId>(now, now + Span::seconds(30)).await.unwrap().unwrap();
        let mut tx = two.world.engine.db().write(AgentScope::All).await.unwrap();
        tx.pass_on_dry_run(&given, now, None).await.unwrap();
        assert!(matches!(tx.hold_work(&given, now).await, Err(store::Error::LostClaim)), "a late beat takes nothing back");
        tx.commit().await.unwrap();
        let dead = two.world.engine.db().claim_work::<DryRunId>(now, now + Span::seconds(30)).await.unwrap().unwrap();
        assert!(!two.world.engine.work_dry_run_once().await.unwrap(), "somebody has it");
        two.world.pass(Span::seconds(31));
        two.works().await;
        let done = two.sees(&run.id).await;
        assert_eq!((done.run.state, done.run.windows), (DryRunState::Done, 3));
        assert_eq!(two.other.windows().len(), 3, "each window once");
        let mut tx = two.world.engine.db().write(AgentScope::All).await.unwrap();
        assert!(matches!(tx.hold_work(&dead, now).await, Err(store::Error::LostClaim)));
        drop(tx);

        let stopped = two.starts(NewDryRun::default()).await.unwrap();
        assert!(two.world.engine.work_dry_run_once().await.unwrap());
        let engine = &two.world.engine;
        let view = engine.stop_dry_run(&two.admin(), &two.world.agent, &stopped.id).await.unwrap();
        assert_eq!((view.state, view.windows), (DryRunState::Stopped, 1));
        two.works().await;
        assert_eq!(two.other.windows().len(), 4);
        let again = engine.stop_dry_run(&two.admin(), &two.world.agent, &stopped.id).await.unwrap_err();
        assert_eq!(again.code(), "bulk_over");
        let told = two.told().await;
        assert_eq!(told.len(), 4);
        assert_eq!(told[0].1, json!({"conversations": 1}));
        let ends: Vec<&str> = told[2..].iter().map(|(_, data)| data["state"].as_str().unwrap()).collect();
        assert!(ends.contains(&"done") && ends.contains(&"stopped"), "{ends:?}");
        two.world.verify().await;
    }

    // G2, G11
    async fn who_is_left_alone_is_left_alone_and_a_list_that_changes_ends_it(db: &TestDb) {
        let two = Two::new(db).await;
        two.says("ana", &["I drink green tea"], &nothing()).await;
        two.says("bo", &["I drink black tea"], &nothing()).await;
        let ana = UserRef::parse("ana").unwrap();
        two.world.engine.set_opt_out(&two.admin(), &ana, true).await.unwrap();
        let run = two.starts(NewDryRun::default()).await.unwrap();
        two.works().await;
        let detail = two.sees(&run.id).await;
        assert_eq!((detail.run.done, detail.run.skipped), (1, 1));
        assert_eq!((detail.items[1].state, detail.items[1].error.as_deref()), (TrialState::Skipped, Some("opted_out")));
        assert_eq!(two.other.windows().len(), 1);

        let under_way = two.starts(NewDryRun::default()).await.unwrap();
        let only = |entry: &str| AgentPatch { allowed_extractors: Some(vec![entry.to_owned()]), ..AgentPatch::default() };
        two.sets(only("builtin")).await;
        two.works().await;
        let ended = two.sees(&under_way.id).await.run;
        assert_eq!((ended.state, ended.error.as_deref()), (DryRunState::Failed, Some("not_allowed")));
        assert_eq!(two.other.windows().len(), 1, "it is sent nowhere");
        let refused = two.starts(NewDryRun::default()).await.unwrap_err();
        assert_eq!((refused.fields()[0].pointer.as_str(), refused.fields()[0].code), ("/extractor", "not_allowed"));
    }

    // F9, A14, G14
    async fn what_came_of_one_goes_with_its_people_and_after_thirty_days(db: &TestDb) {
        let two = Two::new(db).await;
        let tea = found(&[("preference", "User drinks zanzibarquartz tea", "I drink zanzibarquartz tea")]);
        two.says("ana", &["I drink zanzibarquartz tea"], &nothing()).await;
        two.says("bo", &["I drink black tea"], &nothing()).await;
        two.other.says(&nothing());
        two.other.says(&tea);
        let run = two.starts(NewDryRun::default()).await.unwrap();
        two.works().await;
        assert_eq!(two.sees(&run.id).await.totals.only_new, 1);

        let scope = Scope::user_id("ana").unwrap();
        let mut tx = two.world.engine.db().write(AgentScope::All).await.unwrap();
        let ana = tx.find_user(&two.world.agent, &scope).await.unwrap().unwrap();
        let erasing = Erasing { scope: Some(&scope), reason: ErasureReason::AskedFor, request: None };
        tx.erase_user(&two.world.agent, &ana.id, erasing, &Stamp::system(two.world.engine.now())).await.unwrap();
        tx.commit().await.unwrap();
        let detail = two.sees(&run.id).await;
        assert_eq!((detail.run.conversations, detail.items.len(), detail.totals.only_new), (1, 1, 0));
        for (table, rows) in db.rows_of_user(ana.id.as_str()).await {
            assert!(rows == 0 || matches!(table.as_str(), "events" | "erasures"), "{rows} in {table}");
        }

        // Who goes while they are read takes what came of it along.
        two.says("ana", &["I drink zanzibarquartz tea"], &nothing()).await;
        let second = two.starts(NewDryRun { conversations: Some(1), ..NewDryRun::default() }).await.unwrap();
        let mut tx = two.world.engine.db().write(AgentScope::All).await.unwrap();
        let ana = tx.find_user(&two.world.agent, &scope).await.unwrap().unwrap();
        tx.erase_user(&two.world.agent, &ana.id, erasing, &Stamp::system(two.world.engine.now())).await.unwrap();
        tx.commit().await.unwrap();
        two.works().await;
        let gone = two.sees(&second.id).await;
        assert_eq!((gone.run.state, gone.run.conversations), (DryRunState::Done, 0));

        two.world.pass(Span::days(29));
        two.world.engine.tick().await.unwrap();
        assert_eq!(two.sees(&run.id).await.items.len(), 1);
        two.world.pass(Span::days(2));
        two.world.engine.tick().await.unwrap();
        let kept = two.world.engine.dry_runs(&two.admin(), &two.world.agent, &Page::default()).await.unwrap();
        assert!(kept.data.is_empty());
        let rows = db.rows_of_agent("support").await;
        assert!(rows.iter().all(|(table, rows)| !table.starts_with("dry_run") || *rows == 0), "{rows:?}");
        two.world.verify().await;
    }

    // G7, G14
    async fn only_an_administrator_tries_and_another_agents_is_not_there(db: &TestDb) {
        let two = Two::new(db).await;
        let engine = &two.world.engine;
        let empty = two.starts(NewDryRun::default()).await.unwrap_err();
        assert_eq!((empty.fields()[0].pointer.as_str(), empty.fields()[0].code), ("/conversations", "empty"));
        two.says("ana", &["I drink green tea"], &nothing()).await;
        for (new, pointer, code) in [
            (NewDryRun { extractor: Some(Some("bananas".into())), ..NewDryRun::default() }, "/extractor", "unknown"),
            (NewDryRun { conversations: Some(0), ..NewDryRun::default() }, "/conversations", "range"),
            (NewDryRun { price_in: Some(-1.0), ..NewDryRun::default() }, "/price_in", "range"),
            (NewDryRun { kinds: [("mood".to_owned(), TriedWords::default())].into(), ..NewDryRun::default() }, "/kinds/mood", "unknown"),
            (
                NewDryRun { kinds: [("fact".to_owned(), TriedWords { description: Some(String::new()), ..TriedWords::default() })].into(), ..NewDryRun::default() },
                "/kinds/fact/description",
                "length",
            ),
        ] {
            let refused = two.starts(new).await.unwrap_err();
            assert_eq!((refused.fields()[0].pointer.as_str(), refused.fields()[0].code), (pointer, code));
        }
        let run = two.starts(NewDryRun::default()).await.unwrap();
        let sales = AgentName::parse("sales").unwrap();
        engine.create_agent(&system(Permission::Administer), sales.clone(), AgentSettings::default()).await.unwrap();
        let elsewhere = engine.dry_run(&two.admin(), &sales, &run.id).await.unwrap_err();
        let stopped = engine.stop_dry_run(&two.admin(), &sales, &run.id).await.unwrap_err();
        assert!(matches!((elsewhere, stopped), (EngineError::NotFound, EngineError::NotFound)));
        assert!(engine.dry_runs(&two.admin(), &sales, &Page::default()).await.unwrap().data.is_empty());
        for permission in [Permission::ReadAgents, Permission::Decide, Permission::ReadAudit] {
            let other = two.world.mia(permission);
            assert!(matches!(engine.dry_run(&other, &two.world.agent, &run.id).await, Err(EngineError::Forbidden)));
        }
        let nobody = engine.start_dry_run(&system(Permission::Administer), &two.world.agent, &NewDryRun::default()).await;
        assert!(matches!(nobody, Err(EngineError::Forbidden)), "a person asks for it");
    }
}
