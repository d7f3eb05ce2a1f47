//! What an administrator sets: when extraction starts, who is left alone, what it may cost.

use domain::{
    agent::{Budget, ExtractionTrigger},
    candidate::{Action, Flag, Reason},
    conversation::Role,
    id::CandidateId,
    permission::Permission,
    time::Span,
    user::Scope,
};
use engine::{
    AgentPatch, Approval, EngineError, Incoming, NewMemory, ProposeAnswer, Proposed, UserRef,
    extractor::{ExtractError, Retry},
};
use store::testing::TestDb;

use crate::world::{World, message, system};

impl World {
    async fn set(&self, patch: AgentPatch) -> engine::AgentView {
        self.engine
            .change_agent(&self.mia(Permission::Administer), &self.agent, None, patch)
            .await
            .unwrap()
    }

    async fn trigger(&self, messages: Option<u32>, quiet: Option<u32>, interval: Option<u32>) {
        let trigger = ExtractionTrigger {
            messages,
            quiet_seconds: quiet,
            interval_seconds: interval,
        };
        self.set(AgentPatch {
            trigger: Some(trigger.into()),
            ..AgentPatch::default()
        })
        .await;
    }

    async fn budget(&self, budget: Budget) {
        self.set(AgentPatch {
            budget: Some(budget.into()),
            ..AgentPatch::default()
        })
        .await;
    }

    /// Sends one message of a conversation that goes on.
    async fn goes_on(&self, conversation: &str, words: &str) -> engine::Accepted {
        self.sends(conversation, &[words], false, false).await
    }

    async fn sends(
        &self,
        conversation: &str,
        words: &[&str],
        end: bool,
        flush: bool,
    ) -> engine::Accepted {
        let incoming = Incoming {
            scope: Scope::user_id("ana").unwrap(),
            conversation_id: Some(conversation.to_owned()),
            messages: words
                .iter()
                .map(|words| message(Role::User, words))
                .collect(),
            time_zone: None,
            end,
            flush,
        };
        self.engine
            .ingest(&self.key(Permission::Ingest), &self.agent, incoming)
            .await
            .unwrap()
    }

    /// Works, and tells how many windows were read by now.
    async fn windows_read(&self) -> usize {
        self.work().await;
        self.script.windows().len()
    }

    async fn opt_out(&self, user: &str, out: bool) -> engine::OptOutView {
        let user = UserRef::parse(user).unwrap();
        self.engine
            .set_opt_out(&self.mia(Permission::Administer), &user, out)
            .await
            .unwrap()
    }

    async fn today(&self) -> engine::UsageView {
        self.engine
            .agent_figures(&self.mia(Permission::ReadAgents), &self.agent)
            .await
            .unwrap()
            .today
    }
}

store::both! {
    // C2, D10
    async fn with_every_trigger_off_nothing_is_read_before_the_end_or_a_flush(db: &TestDb) {
        let world = World::new(db).await;
        world.trigger(None, None, None).await;
        let posted: Vec<String> = (0..30).map(|number| format!("line {number}")).collect();
        let posted: Vec<&str> = posted.iter().map(String::as_str).collect();
        let accepted = world.sends("c-1", &posted, false, false).await;
        world.pass(Span::days(30));
        assert_eq!(world.windows_read().await, 0);
        let operation = world.operation(&accepted).await;
        assert_eq!((operation.state, operation.next_at), ("queued", None), "the 202 answers an operation all the same");

        let flushed = world.sends("c-1", &[], false, true).await;
        assert_eq!(flushed.operation, accepted.operation);
        assert_eq!(world.windows_read().await, 2);
        assert_eq!(world.operation(&accepted).await.state, "succeeded");

        world.goes_on("c-2", "hello").await;
        assert_eq!(world.windows_read().await, 2);
        world.sends("c-2", &[], true, false).await;
        assert_eq!(world.windows_read().await, 3);

        // What came while everything was off is read when a trigger is on again.
        world.goes_on("c-3", "hello").await;
        world.trigger(None, Some(60), None).await;
        world.pass(Span::seconds(61));
        assert_eq!(world.windows_read().await, 4);
    }

    // C2, D10
    async fn every_post_starts_it_where_one_message_is_enough(db: &TestDb) {
        let world = World::new(db).await;
        world.trigger(Some(1), None, None).await;
        world.goes_on("c-1", "one").await;
        assert_eq!(world.windows_read().await, 1);
        world.goes_on("c-1", "two").await;
        assert_eq!(world.windows_read().await, 2);
    }

    // C2, D10
    async fn an_interval_counts_from_the_first_message_that_was_not_read(db: &TestDb) {
        let world = World::new(db).await;
        world.trigger(None, None, Some(300)).await;
        for minute in 0..4 {
            world.goes_on("c-1", &format!("minute {minute}")).await;
            assert_eq!(world.windows_read().await, 0);
            world.pass(Span::minutes(1));
        }
        // Messages go on, and do not put it off.
        world.goes_on("c-1", "minute 4").await;
        world.pass(Span::minutes(1));
        assert_eq!(world.windows_read().await, 1);
        world.goes_on("c-1", "minute 5").await;
        world.pass(Span::minutes(4));
        assert_eq!(world.windows_read().await, 1, "the next five minutes begin with the next message");
        world.pass(Span::minutes(1));
        assert_eq!(world.windows_read().await, 2);

        // Beside quiet, whichever comes first.
        world.trigger(None, Some(60), Some(300)).await;
        world.goes_on("c-2", "hello").await;
        world.pass(Span::seconds(60));
        assert_eq!(world.windows_read().await, 3);
    }

    // C4
    async fn an_end_that_comes_after_everything_was_read_is_an_operation_of_its_own(db: &TestDb) {
        let world = World::new(db).await;
        let read = world.sends("c-1", &["hello"], false, true).await;
        world.work().await;
        world.pass(Span::seconds(5));
        let ended = world.sends("c-1", &[], true, false).await;
        assert_ne!(ended.operation, read.operation);
        world.work().await;
        assert_eq!(world.operation(&ended).await.state, "succeeded");
        let again = world.sends("c-1", &[], true, false).await;
        assert_eq!(again.operation, ended.operation, "it ends once");
    }

    // G2
    async fn an_id_that_people_share_is_never_learnt_about(db: &TestDb) {
        let world = World::new(db).await;
        world.set(AgentPatch { shared_ids: Some(vec!["guest-*".into()]), ..AgentPatch::default() }).await;
        let accepted = world.say("guest-7", &["I live in Oslo"]).await;
        assert_eq!((accepted.conversation, accepted.skipped), (None, Some("shared_id")));
        let proposed = world.engine.propose(&world.key(Permission::Propose), &world.agent, engine::Proposed {
            action: None,
            target: None,
            scope: Scope::user_id("guest-7").unwrap(),
            kind: "fact".into(),
            name: None,
            content: Some("User lives in Oslo".into()),
            metadata: Default::default(),
            tags: vec![],
            confidence: None,
            importance: None,
            explanation: None,
        }).await.unwrap();
        assert!(matches!(proposed, engine::ProposeAnswer::Skipped { skipped: "shared_id" }), "{proposed:?}");
        let users = world.engine.users(&world.mia(Permission::ReadUsers), None, None, &engine::Page::default()).await.unwrap();
        assert!(users.data.is_empty(), "nothing of it is stored");
        assert!(world.say("ana", &["I live in Oslo"]).await.conversation.is_some());
    }

    // G2
    async fn one_switch_stops_learning_and_serving_on_every_agent(db: &TestDb) {
        let world = World::new(db).await;
        let candidate = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.engine.approve(&world.mia(Permission::Decide), &candidate.id, None, engine::Approval::default()).await.unwrap();
        let other = domain::agent::AgentName::parse("sales").unwrap();
        let administer = system(Permission::Administer);
        world.engine.create_agent(&administer, other.clone(), domain::agent::AgentSettings::default()).await.unwrap();

        // A job is under way when she says no.
        world.script.says(&serde_json::json!({"candidates": [
            {"kind": "fact", "content": "User has a dog", "confidence": 0.9, "importance": 0.7, "evidence": "I have a dog"}]}));
        let posted = world.say("ana", &["I have a dog"]).await;
        let changed = world.opt_out("ana", true).await;
        assert!(changed.opted_out && changed.users.len() == 1);
        world.work().await;
        let operation = world.operation(&posted).await;
        assert_eq!((operation.state, operation.skipped, operation.candidates.len()), ("succeeded", Some("opted_out"), 0));

        let accepted = world.say("ana", &["I live in Bergen"]).await;
        assert_eq!((accepted.conversation, accepted.skipped), (None, Some("opted_out")));
        let context = world.context("ana").await;
        assert_eq!((context.reason, context.items.len(), context.block.as_str()), (Some("opted_out"), 0, ""));
        let permit = system(Permission::Ingest).within(&other).unwrap();
        let incoming = Incoming { scope: Scope::user_id("ana").unwrap(), conversation_id: None, messages: vec![message(Role::User, "hi")], time_zone: None, end: true, flush: false };
        let elsewhere = world.engine.ingest(&permit, &other, incoming).await.unwrap();
        assert_eq!(elsewhere.skipped, Some("opted_out"), "on an agent that never heard of her, too");
        assert_eq!(world.served("bo").await.len(), 0);
        assert!(world.say("bo", &["hi"]).await.skipped.is_none(), "nobody else");
        let read = world.mia(Permission::ReadUsers);
        let detail = world.engine.user(&read, &UserRef::parse("ana").unwrap(), Some(&world.agent)).await.unwrap();
        assert!(detail.user.opted_out);
        let users = world.engine.users(&read, None, None, &engine::Page::default()).await.unwrap().data;
        assert_eq!(users.iter().filter(|user| user.opted_out).map(|user| user.who.as_str()).collect::<Vec<_>>(), ["ana"]);
        let events = world.engine.timeline(&read, &UserRef::parse("ana").unwrap(), Some(&world.agent), &engine::Page::default()).await.unwrap();
        assert!(events.data.iter().any(|event| event.r#type == domain::audit::EventType::UserOptedOut));

        world.opt_out("ana", false).await;
        assert_eq!(world.served("ana").await, ["User lives in Oslo"]);
        world.verify().await;
    }

    // G2
    async fn what_waits_about_who_opted_out_is_marked_and_takes_away_or_is_rejected(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let known = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let known = world.engine.approve(&decide, &known.id, None, Approval::default()).await.unwrap();
        let forget = Proposed {
            action: Some(Action::Retire),
            target: known.memory,
            scope: Scope::user_id("ana").unwrap(),
            kind: "fact".into(),
            name: None,
            content: None,
            metadata: serde_json::Map::new(),
            tags: Vec::new(),
            confidence: None,
            importance: None,
            explanation: None,
        };
        let answer = world.engine.propose(&world.key(Permission::Propose), &world.agent, forget).await.unwrap();
        let ProposeAnswer::Proposed { candidate: forget } = answer else { panic!("{answer:?}") };
        let tea = world.proposed("ana", "preference", None, "User prefers green tea").await;
        let dog = world.proposed("ana", "fact", None, "User has a dog").await;
        let of_bo = world.proposed("bo", "fact", None, "User has a cat").await;
        world.opt_out("ana", true).await;
        for (candidate, marked) in [(&tea, true), (&dog, true), (&of_bo, false)] {
            let flags = world.candidate(&candidate.id).await.flags;
            assert_eq!(flags.contains(&Flag::OptedOut), marked, "{}", candidate.content);
        }
        let approve = async |id: &CandidateId| world.engine.approve(&decide, id, None, Approval::default()).await;
        let refused = approve(&tea.id).await.unwrap_err();
        assert_eq!((refused.code(), refused.status()), ("opted_out", 409));
        world.engine.reject(&decide, &dog.id, None, Reason::Other, None).await.unwrap();
        approve(&forget.id).await.unwrap();
        approve(&of_bo.id).await.unwrap();
        let written = NewMemory {
            scope: Scope::user_id("ana").unwrap(),
            kind: "fact".into(),
            name: None,
            content: "User has two children".into(),
            metadata: serde_json::Map::new(),
            tags: Vec::new(),
            importance: None,
            note: None,
        };
        let refused = world.engine.add_memory(&decide, &world.agent, written).await.unwrap_err();
        assert_eq!(refused.code(), "opted_out");

        world.opt_out("ana", false).await;
        approve(&tea.id).await.unwrap();
        assert_eq!(world.served("ana").await, ["User prefers green tea"]);
        world.verify().await;
    }

    // G2
    async fn an_opt_out_needs_no_user_and_only_who_answers_for_all_agents_takes_it_back(db: &TestDb) {
        let world = World::new(db).await;
        let view = world.opt_out("carl", true).await;
        assert!(view.opted_out && view.users.is_empty(), "before an agent has heard of him, and after he was erased");
        assert_eq!(world.say("carl", &["I live in Oslo"]).await.skipped, Some("opted_out"));
        let of_one = world.mia(Permission::Administer).within(&world.agent).unwrap();
        let carl = UserRef::parse("carl").unwrap();
        let back = world.engine.set_opt_out(&of_one, &carl, false).await;
        assert!(matches!(back, Err(EngineError::Forbidden)));
        world.engine.set_opt_out(&of_one, &carl, true).await.unwrap();
        world.opt_out("carl", false).await;
        assert!(world.say("carl", &["I live in Oslo"]).await.skipped.is_none());
        let reader = world.mia(Permission::ReadUsers);
        assert!(matches!(world.engine.set_opt_out(&reader, &carl, true).await, Err(EngineError::Forbidden)));
    }

    // G14
    async fn at_the_days_budget_conversations_wait_for_midnight_and_none_is_lost(db: &TestDb) {
        let world = World::new(db).await;
        // A window of the script reads 10 tokens and writes 5.
        world.budget(Budget { tokens_per_day: Some(30), price_in: Some(100_000.0), price_out: Some(200_000.0), money_per_day: None }).await;
        world.say("ana", &["one"]).await;
        world.work().await;
        let today = world.today().await;
        assert_eq!((today.extractions, today.tokens_in, today.tokens_out), (1, 10, 5));
        assert_eq!((today.cost, today.used, today.budget_warning), (Some(2.0), Some(0.5), false));
        world.say("ana", &["two"]).await;
        world.work().await;
        assert!(world.today().await.budget_warning);

        let waits = world.say("ana", &["three"]).await;
        let as_well = world.say("bo", &["four"]).await;
        world.work().await;
        for accepted in [&waits, &as_well] {
            let operation = world.operation(accepted).await;
            assert_eq!((operation.state, operation.attempt, operation.error.unwrap().code.as_str()), ("queued", 0, "budget"));
            let midnight = operation.next_at.unwrap();
            assert_eq!(midnight.timestamp() % 86_400, 0);
            assert!(midnight > world.engine.now() && midnight - world.engine.now() <= Span::days(1));
        }
        let today = world.today().await;
        assert_eq!((today.waiting, today.used), (2, Some(1.0)));
        assert_eq!(world.script.windows().len(), 2);

        world.pass(Span::days(1));
        world.work().await;
        assert_eq!(world.operation(&waits).await.state, "succeeded");
        assert_eq!(world.operation(&as_well).await.state, "succeeded");
        let figures = world.engine.agent_figures(&world.mia(Permission::ReadAgents), &world.agent).await.unwrap();
        assert_eq!((figures.today.extractions, figures.today.waiting), (2, 0));
        assert_eq!(figures.usage.iter().map(|day| day.extractions).collect::<Vec<_>>(), [2, 2], "each day for itself, newest first");
        let today = world.engine.agent_today(&world.mia(Permission::ReadAgents), &world.agent).await.unwrap();
        assert_eq!(today, figures.usage[0], "the same without the rest");

        // Raised in the middle of the day, it goes on at once.
        let more = world.say("ana", &["five"]).await;
        world.work().await;
        assert_eq!(world.operation(&more).await.state, "queued");
        world.budget(Budget { tokens_per_day: Some(1000), ..Budget::default() }).await;
        world.work().await;
        assert_eq!(world.operation(&more).await.state, "succeeded");
        world.verify().await;
    }

    // G14
    async fn what_a_failed_attempt_cost_counts_for_the_budget(db: &TestDb) {
        let world = World::new(db).await;
        world.budget(Budget { tokens_per_day: Some(30), ..Budget::default() }).await;
        world.script.fails(ExtractError { retry: Retry::After(None), code: "rate_limited", raw: None, tokens_in: 20, tokens_out: 10 });
        let accepted = world.say("ana", &["one"]).await;
        world.work().await;
        let today = world.today().await;
        assert_eq!((today.tokens_in, today.tokens_out), (20, 10));
        world.pass(Span::minutes(1));
        world.work().await;
        let waits = world.operation(&accepted).await;
        assert_eq!((waits.state, waits.error.unwrap().code.as_str()), ("queued", "budget"));
        assert_eq!(world.script.windows().len(), 1);

        // The last attempt of all counts as well.
        world.pass(Span::days(1));
        world.script.fails(ExtractError { retry: Retry::Never, code: "refused", raw: None, tokens_in: 3, tokens_out: 1 });
        world.work().await;
        assert_eq!(world.operation(&accepted).await.state, "failed");
        let today = world.today().await;
        assert_eq!((today.tokens_in, today.tokens_out), (3, 1));
        world.verify().await;
    }

    // G14
    async fn money_counts_by_the_prices_and_a_long_conversation_stops_between_windows(db: &TestDb) {
        let world = World::new(db).await;
        world.budget(Budget { money_per_day: Some(3.0), price_in: Some(100_000.0), price_out: Some(200_000.0), tokens_per_day: None }).await;
        let posted: Vec<String> = (0..50).map(|number| format!("line {number}")).collect();
        let posted: Vec<&str> = posted.iter().map(String::as_str).collect();
        let accepted = world.sends("c-1", &posted, true, false).await;
        world.work().await;
        assert_eq!(world.script.windows().len(), 2, "two windows cost 4.00");
        assert_eq!(world.operation(&accepted).await.state, "queued");
        world.pass(Span::days(1));
        world.work().await;
        assert_eq!(world.operation(&accepted).await.state, "succeeded");
        assert_eq!(world.script.windows().len(), 3, "what was read is not read again");
    }

    // A12
    async fn settings_tell_what_changed_and_keep_the_rest(db: &TestDb) {
        let world = World::new(db).await;
        let before = world.engine.agent(&world.mia(Permission::ReadAgents), &world.agent).await.unwrap();
        let after = world.set(AgentPatch { guidance: Some(Some("Only what matters for travel.".into())), natural_language: Some(false), ..AgentPatch::default() }).await;
        assert_eq!(after.version, before.version + 1);
        assert_eq!(after.settings.guidance.as_deref(), Some("Only what matters for travel."));
        assert!(!after.settings.natural_language && after.settings.learn);
        let same = world.set(AgentPatch { learn: Some(true), ..AgentPatch::default() }).await;
        assert_eq!(same.version, after.version, "nothing changed, nothing is told");
        let gone = world.set(AgentPatch { guidance: Some(None), ..AgentPatch::default() }).await;
        assert_eq!(gone.settings.guidance, None);
        let key = world.key(Permission::Ingest);
        let refused = world.engine.change_agent(&key, &world.agent, None, AgentPatch::default()).await;
        assert!(matches!(refused, Err(EngineError::Forbidden)));
    }
}
