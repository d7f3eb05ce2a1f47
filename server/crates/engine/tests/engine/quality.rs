//! The figures of the pages on which the work is looked at, and trying again what failed.

use domain::{
    agent::AgentName,
    candidate::{Edit, Reason},
    permission::Permission,
    time::Span,
};
use engine::{
    AgentPatch, Approval, CandidateFilter, DecisionFilter, EngineError, Judge, MemoryFilter, Page,
    Remark, Version,
    extractor::{ExtractError, Retry},
};
use store::testing::TestDb;

use crate::world::{World, system};

fn fails(code: &'static str) -> ExtractError {
    ExtractError {
        retry: Retry::Never,
        code,
        raw: None,
        tokens_in: 0,
        tokens_out: 0,
    }
}

fn everything(world: &World) -> DecisionFilter {
    DecisionFilter {
        agent: None,
        kind: None,
        approved: None,
        judge: Judge::Person,
        since: world.engine.now() - Span::days(1),
    }
}

store::both! {
    // F11
    async fn a_decision_counts_for_its_kind_its_extractor_and_whoever_made_it(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let cat = world.proposed("ana", "fact", None, "User has a grey cat").await;
        let tea = world.proposed("bo", "preference", None, "User prefers green tea").await;
        world.script.says_text("this is no JSON");
        world.say("ana", &["What is the weather like?"]).await;
        world.work().await;
        world.pass(Span::hours(2));
        let edit = Approval {
            edit: Edit { content: Some("User lives in Bergen".into()), ..Edit::default() },
            took_ms: Some(1900),
            ..Approval::default()
        };
        world.engine.approve(&decide, &oslo.id, Some(Version::Is(1)), edit).await.unwrap();
        let remark = Remark { note: None, took_ms: Some(4000) };
        world.engine.reject(&decide, &cat.id, None, Reason::Wrong, remark).await.unwrap();
        world.engine.approve(&world.aiko(Permission::Decide), &tea.id, None, Approval::default()).await.unwrap();

        let reads = world.mia(Permission::ReadCandidates);
        let found = world.engine.quality(&reads, Some(&world.agent), 7).await.unwrap();
        assert_eq!((found.decided.approved, found.decided.rejected), (2, 1));
        assert_eq!(found.junk_rate.map(|rate| (rate * 3.0).round()), Some(1.0));
        assert_eq!(found.edited_rate, Some(0.5));
        let kinds: Vec<_> = found.by_kind.iter().map(|kind| (kind.name.as_str(), kind.rate.approved, kind.rate.rejected)).collect();
        assert_eq!(kinds, [("fact", 1, 1), ("preference", 1, 0)]);
        assert_eq!(found.by_language.len(), 1);
        let [by] = &found.by_extractor[..] else { panic!("{:?}", found.by_extractor) };
        assert_eq!((by.model.as_deref(), by.prompt_version.as_deref()), (Some("written-down"), Some("1")));
        assert_eq!((by.rate.approved, by.answers, by.failed), (2, 4, 1));
        let sure: Vec<_> = found.by_confidence.iter().filter(|bin| bin.rate.acceptance.is_some()).map(|bin| bin.from).collect();
        assert_eq!(sure, [0.9]);
        assert_eq!(found.rejected_for.get("wrong"), Some(&1));
        assert_eq!(found.waited.map(|waited| waited.median), Some(7200.0));
        assert_eq!(found.viewed.map(|viewed| (viewed.median, viewed.p90)), Some((1.9, 4.0)));
        let people: Vec<_> = found.people.iter().map(|one| (one.person.name.as_deref(), one.decided, one.timed, one.quick, one.quick_rate)).collect();
        assert_eq!(people, [(Some("Mia"), 2, 2, 1, Some(0.5)), (Some("Aiko"), 1, 0, 0, None)]);
        let [bad] = &found.bad_answers[..] else { panic!("{:?}", found.bad_answers) };
        assert_eq!((bad.state, bad.agent.as_str()), ("failed", "support"));
        let raw = world.engine.raw_answers(&reads, &bad.operation).await.unwrap();
        assert_eq!(raw, ["this is no JSON"], "the list leads to the answer itself");

        world.engine.reopen(&decide, &cat.id, None, None).await.unwrap();
        let found = world.engine.quality(&reads, None, 7).await.unwrap();
        assert_eq!((found.decided.approved, found.decided.rejected), (2, 0), "what was taken back is not counted");
        assert_eq!(world.engine.count_decisions(&reads, &everything(&world)).await.unwrap(), 2);
    }

    // F11
    async fn figures_stay_within_the_permit_and_the_span(db: &TestDb) {
        let world = World::new(db).await;
        let sales = AgentName::parse("sales").unwrap();
        world.engine.create_agent(&system(Permission::Administer), sales.clone(), Default::default()).await.unwrap();
        let oslo = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.engine.approve(&world.mia(Permission::Decide), &oslo.id, None, Approval::default()).await.unwrap();
        let reads = world.mia(Permission::ReadCandidates);
        let of_sales = world.engine.quality(&reads, Some(&sales), 30).await.unwrap();
        assert_eq!((of_sales.decided.approved, of_sales.decided.acceptance, of_sales.waited), (0, None, None));
        let nobody = AgentName::parse("nobody").unwrap();
        for refused in [
            world.engine.quality(&reads, Some(&nobody), 30).await.unwrap_err(),
            world.engine.jobs(&world.mia(Permission::ReadAgents), Some(&nobody)).await.unwrap_err(),
        ] {
            assert!(matches!(refused, EngineError::NotFound), "{refused:?}");
        }
        for days in [0, 91, -1, i64::MIN, i64::MAX] {
            assert_eq!(world.engine.quality(&reads, None, days).await.unwrap_err().code(), "invalid");
        }
        world.pass(Span::days(8));
        assert_eq!(world.engine.quality(&reads, None, 7).await.unwrap().decided.approved, 0);
        assert_eq!(world.engine.quality(&reads, None, 30).await.unwrap().decided.approved, 1);
    }

    // F11
    async fn each_figure_of_the_first_page_is_as_long_as_the_list_behind_it(db: &TestDb) {
        let world = World::new(db).await;
        let decide = world.mia(Permission::Decide);
        let late = world.proposed("ana", "fact", None, "User lives in Oslo").await;
        world.pass(Span::days(6) + Span::hours(1));
        let today = world.engine.now();
        for (user, kind, content) in [
            ("ana", "fact", "User has a grey cat"), ("bo", "preference", "User prefers green tea"), ("bo", "preference", "User dislikes long lists"),
            ("cy", "fact", "User works in Turin"),
        ] {
            world.proposed(user, kind, None, content).await;
        }
        let waiting = world.waiting().await;
        for candidate in waiting.iter().filter(|one| one.content.contains("cat") || one.content.contains("Turin")) {
            world.engine.approve(&decide, &candidate.id, None, Approval::default()).await.unwrap();
        }
        let lists = waiting.iter().find(|one| one.content.contains("lists")).unwrap();
        world.engine.reject(&decide, &lists.id, None, Reason::NotDurable, None).await.unwrap();
        for code in ["refused", "no_key"] {
            world.script.fails(fails(code));
            world.say("dee", &["Hello there"]).await;
            world.work().await;
        }

        let reads = world.mia(Permission::ReadCandidates);
        let front = world.engine.overview(&reads, today).await.unwrap();
        let list = |filter: CandidateFilter| {
            let world = &world;
            async move { i64::try_from(world.queue(filter).await.len()).unwrap() }
        };
        assert_eq!(front.waiting, list(CandidateFilter::default()).await);
        let soon = CandidateFilter { expiring_within: Some(Span::hours(24)), ..CandidateFilter::default() };
        assert_eq!((front.expiring_soon, front.expiring_soon), (list(soon).await, 1));
        assert_eq!(front.oldest.map(|(id, _)| id), Some(late.id));
        let decisions = |filter: DecisionFilter| {
            let (world, reads) = (&world, &reads);
            async move { i64::try_from(world.engine.decisions(reads, &filter, &Page::default()).await.unwrap().data.len()).unwrap() }
        };
        let since_today = DecisionFilter { since: today, ..everything(&world) };
        assert_eq!((front.decided_today, front.decided_today), (decisions(since_today).await, 3));
        assert_eq!(front.by_kind.len(), 2);
        for kind in &front.by_kind {
            let filter = CandidateFilter { kind: Some(kind.kind.clone()), ..CandidateFilter::default() };
            assert_eq!(kind.waiting, list(filter).await, "{}", kind.kind);
            for (approved, count) in [(true, kind.rate.approved), (false, kind.rate.rejected)] {
                let month = world.engine.now() - Span::days(30);
                let filter = DecisionFilter { approved: Some(approved), kind: Some(kind.kind.clone()), since: month, ..everything(&world) };
                assert_eq!(count, decisions(filter).await, "{} {approved}", kind.kind);
            }
        }
        let given_up = world.engine.given_up(&world.mia(Permission::ReadAgents), None, None, &Page::default()).await.unwrap();
        assert_eq!((front.extraction.given_up, 2), (i64::try_from(given_up.data.len()).unwrap(), given_up.data.len()));
        assert_eq!((front.extraction.queued, front.extraction.oldest_due), (0, None));

        // The lists of memories and users, behind the figures of the agent: a profile is no line among the memories (D6).
        world.with_schema().await;
        world.field("ana", "technical_stack", "ADK").await;
        let figures = world.engine.agent_figures(&world.mia(Permission::ReadAgents), &world.agent).await.unwrap();
        let memories = world.engine.memories(&world.mia(Permission::ReadHistory), &MemoryFilter::default(), &Page::default()).await.unwrap();
        assert_eq!((figures.approved, memories.data.len()), (2, 2));
        let users = world.engine.users(&world.mia(Permission::ReadUsers), None, None, &Page::default()).await.unwrap();
        assert_eq!((figures.users, users.data.len()), (4, 4));
    }

    async fn what_failed_for_one_reason_is_tried_again_together(db: &TestDb) {
        let world = World::new(db).await;
        for (user, code) in [("ana", "unreachable"), ("bo", "unreachable"), ("cy", "refused")] {
            world.script.fails(fails(code));
            world.say(user, &["Hello there"]).await;
            world.work().await;
        }
        let (reads, decide) = (world.mia(Permission::ReadAgents), world.mia(Permission::Decide));
        let jobs = world.engine.jobs(&reads, None).await.unwrap();
        let reasons: Vec<_> = jobs.given_up_for.iter().map(|one| (one.why.code.as_str(), one.count)).collect();
        assert_eq!(reasons, [("unreachable", 2), ("refused", 1)]);
        assert_eq!((jobs.all.given_up, jobs.all.queued, jobs.agents.len()), (3, 0, 1));

        let done = world.engine.retry_given_up(&decide, Some(&world.agent), "unreachable", None).await.unwrap();
        assert_eq!((done.queued, done.refused, done.left), (2, 0, 0));
        let jobs = world.engine.jobs(&reads, None).await.unwrap();
        assert_eq!((jobs.all.given_up, jobs.all.queued, jobs.all.due, jobs.next.len()), (1, 2, 2, 2));
        assert_eq!(jobs.all.oldest_due, Some(world.engine.now()));
        world.work().await;
        assert_eq!(world.engine.jobs(&reads, None).await.unwrap().all.queued, 0);

        // An agent that does not learn takes none up again, and says so.
        let off = AgentPatch { learn: Some(false), ..AgentPatch::default() };
        world.engine.change_agent(&world.mia(Permission::Administer), &world.agent, None, off).await.unwrap();
        let done = world.engine.retry_given_up(&decide, None, "refused", None).await.unwrap();
        assert_eq!((done.queued, done.refused, done.left), (0, 1, 0));
        world.verify().await;
    }

    async fn what_cannot_be_tried_again_is_looked_at_a_thousand_at_a_time(db: &TestDb) {
        const COPIES: &str = "
            with recursive numbers (n) as (
              select 1
              union all
              select n + 1 from numbers where n < 1099)
            insert into jobs
              (agent, id, type, user_id, conversation_id, starts, upto, state, attempt, epoch, next_at, lease_until, error, outcome,
               retry_of, retried_by, created_at, finished_at)
            select j.agent,
              'op_' || substr('00000000000000000000000000', 1, 26 - length(cast(numbers.n as text))) || cast(numbers.n as text),
              j.type, j.user_id, j.conversation_id, j.starts, j.upto, j.state, j.attempt, j.epoch, j.next_at, j.lease_until, j.error,
              j.outcome, j.retry_of, j.retried_by, j.created_at, j.finished_at
            from jobs j
            cross join numbers
            where j.error = 'refused'";
        let world = World::new(db).await;
        world.script.fails(fails("refused"));
        world.say("ana", &["Hello there"]).await;
        world.work().await;
        assert_eq!(db.behind_the_back(COPIES).await.unwrap(), 1099);
        let off = AgentPatch { learn: Some(false), ..AgentPatch::default() };
        world.engine.change_agent(&world.mia(Permission::Administer), &world.agent, None, off).await.unwrap();

        let decide = world.mia(Permission::Decide);
        let first = world.engine.retry_given_up(&decide, None, "refused", None).await.unwrap();
        assert_eq!((first.queued, first.refused, first.left), (0, 1000, 100));
        let rest = world.engine.retry_given_up(&decide, None, "refused", first.next.as_deref()).await.unwrap();
        assert_eq!((rest.queued, rest.refused, rest.left, rest.next), (0, 100, 0, None));
        let odd = world.engine.retry_given_up(&decide, None, "refused", Some("of another list")).await.unwrap_err();
        assert!(matches!(odd, EngineError::Invalid(_)), "{odd:?}");
    }
}
