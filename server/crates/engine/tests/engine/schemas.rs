//! Kinds of an agent's own, and what a change of a schema proposes (C8).

use std::collections::BTreeMap;

use domain::{
    candidate::{Action, Edit, Reason, Status},
    diff::Change,
    id::CandidateId,
    kind::EvidenceRule,
    permission::Permission,
    time::Span,
    user::Scope,
};
use engine::{
    AgentPatch, Approval, CandidateView, KindPatch, KindsPatch, NewKind, NewMemory, ProposeAnswer,
    Proposed, UserRef, Version,
};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{profiles::schema, world::World};

fn deal(metadata_schema: Value) -> NewKind {
    serde_json::from_value(json!({
        "name": "deal", "label": "Deals", "description": "A deal that is worked on.",
        "metadata_schema": metadata_schema, "ttl_days": 60, "cap": 3,
        "guideline": "Only deals with a customer's name.",
    }))
    .unwrap()
}

fn of_owner() -> Value {
    json!({"type": "object", "properties": {"owner": {"type": "string"}, "budget": {"type": "string"}, "note": {"type": "string"}}})
}

/// The waiting candidates that Keepsake proposed after a change, by what they say.
async fn migrations(world: &World) -> BTreeMap<String, CandidateView> {
    let waiting = world.waiting().await.into_iter();
    waiting.map(|one| (one.content.clone(), one)).collect()
}

impl World {
    async fn deal(&self, content: &str, metadata: Value) {
        let new = NewMemory {
            scope: Scope::user_id("ana").unwrap(),
            kind: "deal".into(),
            name: None,
            content: content.into(),
            metadata: metadata.as_object().cloned().unwrap(),
            tags: vec!["tag".into()],
            importance: Some(0.6),
            note: None,
        };
        self.engine
            .add_memory(&self.mia(Permission::Decide), &self.agent, new)
            .await
            .unwrap();
    }

    async fn propose(
        &self,
        kind: &str,
        name: Option<&str>,
        content: &str,
        metadata: Value,
    ) -> CandidateId {
        let proposed = Proposed {
            action: None,
            target: None,
            scope: Scope::user_id("st").unwrap(),
            kind: kind.into(),
            name: name.map(str::to_owned),
            content: Some(content.into()),
            metadata: metadata.as_object().cloned().unwrap(),
            tags: vec![],
            confidence: Some(0.9),
            importance: None,
            explanation: None,
        };
        let key = self.key(Permission::Propose);
        let answer = self.engine.propose(&key, &self.agent, proposed).await;
        match answer.unwrap() {
            ProposeAnswer::Proposed { candidate } => candidate.id,
            other => panic!("{other:?}"),
        }
    }

    async fn patch(&self, kind: &str, patch: Value) -> engine::KindView {
        let patch: KindPatch = serde_json::from_value(patch).unwrap();
        self.engine
            .change_kind(
                &self.mia(Permission::Administer),
                &self.agent,
                kind,
                None,
                patch,
            )
            .await
            .unwrap()
    }
}

store::both! {
    async fn an_agent_has_kinds_of_its_own_and_extraction_uses_them(db: &TestDb) {
        let world = World::new(db).await;
        let admin = world.mia(Permission::Administer);
        let made = world.engine.create_kind(&admin, &world.agent, deal(of_owner())).await.unwrap();
        assert_eq!((made.set.as_str(), made.evidence, made.enabled), ("own", EvidenceRule::UserQuote, true));
        for taken in ["deal", "fact", "metric"] {
            let new = NewKind { name: taken.into(), ..deal(of_owner()) };
            let refused = world.engine.create_kind(&admin, &world.agent, new).await.unwrap_err();
            assert_eq!(refused.code(), "name_taken", "{taken}");
        }
        let candidate = world.proposed("ana", "deal", None, "User works on a deal with Acme").await;
        assert_eq!(candidate.kind, "deal");
        let seen = world.script.windows().pop().unwrap();
        let told = seen.kinds.iter().find(|kind| kind.name == "deal").unwrap();
        assert_eq!(told.guideline.as_deref(), Some("Only deals with a customer's name."));
        let approved = world.engine.approve(&world.mia(Permission::Decide), &candidate.id, None, Approval::default()).await.unwrap();
        let memory = world.engine.memory(&world.mia(Permission::ReadMemories), &approved.memory.unwrap()).await.unwrap();
        assert_eq!(memory.expires_at, Some(world.engine.now() + Span::days(60)));

        // C8: with the prompt and the schema that made it.
        let made_by = memory.made_by.unwrap();
        assert_eq!((made_by.name.as_str(), made_by.model.as_deref()), ("script", Some("written-down")));
        assert!(made_by.prompt_version.is_some() && made_by.schema_version.is_some());
        let revisions = world.engine.revisions(&world.key(Permission::ReadMemories), &memory.id).await.unwrap();
        assert_eq!(revisions.data[0].made_by.as_ref().unwrap().name, "script");
        world.patch("deal", json!({"enabled": false, "label": "Deals of this year"})).await;
        assert!(!world.engine.kinds_in_use(&admin, &world.agent).await.unwrap().contains(&"deal".to_owned()));
        world.verify().await;
    }

    // C8
    async fn after_a_change_of_its_schema_what_no_longer_fits_is_counted_and_proposed(db: &TestDb) {
        let world = World::new(db).await;
        let admin = world.mia(Permission::Administer);
        world.engine.create_kind(&admin, &world.agent, deal(of_owner())).await.unwrap();
        world.deal("Acme wants a quote", json!({"owner": "Mia", "budget": "500", "note": "soon"})).await;
        world.deal("Bolt waits for a call", json!({"owner": "Aiko"})).await;
        world.deal("Crux has said no", json!({})).await;
        world.deal("Dorn has signed", json!({"note": "signed"})).await;
        let narrower = json!({
            "type": "object", "additionalProperties": false,
            "properties": {"owner": {"type": "string"}, "budget": {"type": "number"}},
        });
        let changed = world.patch("deal", json!({"metadata_schema": narrower})).await;
        assert_eq!(changed.misfits, 2);
        world.work().await;
        let proposed = migrations(&world).await;
        assert_eq!(proposed.len(), 2, "{proposed:?}");
        let acme = &proposed["Acme wants a quote"];
        assert_eq!((acme.action, &acme.metadata["budget"], acme.metadata.get("note")), (Action::Update, &json!(500), None));
        assert_eq!(
            acme.explanation.as_deref(),
            Some("The schema of this kind has changed: budget is written in another way, note is left out.")
        );
        let dorn = &proposed["Dorn has signed"];
        assert!(dorn.metadata.is_empty());
        // F2: the words stay, and of the values it is seen what is stored and what would be.
        let shown = async |candidate: &CandidateView| {
            let detail = world.engine.candidate(&world.mia(Permission::ReadCandidates), &candidate.id).await.unwrap();
            let same = detail.diff.iter().all(|part| part.change == Change::Same);
            (same, serde_json::to_value(detail.changes).unwrap())
        };
        let of_acme = json!([
            {"value": "metadata", "key": "budget", "before": "500", "after": 500},
            {"value": "metadata", "key": "note", "before": "soon", "after": null},
        ]);
        assert_eq!(shown(acme).await, (true, of_acme.clone()));
        assert_eq!(shown(dorn).await, (true, json!([{"value": "metadata", "key": "note", "before": "signed", "after": null}])));

        // The same change again proposes nothing twice; approved, it is what it was but for the metadata.
        world.patch("deal", json!({"metadata_schema": null})).await;
        world.patch("deal", json!({"metadata_schema": narrower})).await;
        world.work().await;
        assert_eq!(migrations(&world).await.len(), 2);
        let decide = world.mia(Permission::Decide);
        let before = world.engine.memory(&decide, dorn.target.as_ref().unwrap()).await.unwrap();
        world.pass(Span::days(1));
        for candidate in [acme, dorn] {
            world.engine.approve(&decide, &candidate.id, None, Approval::default()).await.unwrap();
        }
        assert_eq!(shown(acme).await, (true, of_acme), "what the reviewer saw");
        let after = world.engine.memory(&decide, &before.id).await.unwrap();
        assert!(after.metadata.is_empty());
        assert_eq!((after.revision, &after.tags, after.expires_at), (2, &before.tags, before.expires_at));
        assert_eq!((after.said_at, after.confidence, after.importance), (before.said_at, before.confidence, before.importance));
        assert_eq!(world.engine.kind(&admin, &world.agent, "deal").await.unwrap().misfits, 0);

        // What nobody said cannot be made up: counted, not proposed.
        let asks = json!({"type": "object", "properties": {"owner": {"type": "string"}}, "required": ["owner"]});
        assert_eq!(world.patch("deal", json!({"metadata_schema": asks})).await.misfits, 2);
        world.work().await;
        assert!(world.waiting().await.is_empty());
        world.verify().await;
    }

    // C8, D2
    async fn after_a_change_of_a_profile_schema_values_are_rewritten_or_retired(db: &TestDb) {
        let world = World::new(db).await;
        world.with_schema().await;
        let stack = world.field("st", "technical_stack", "ADK, Python").await;
        world.field("st", "job_status", "student").await;
        world.field("st", "years", "3").await;
        let admin = world.mia(Permission::Administer);
        let mut changed = schema();
        changed["properties"]["technical_stack"] = json!({"type": "array", "items": {"type": "string"}, "minItems": 2});
        changed["properties"]["job_status"]["enum"] = json!(["employed", "retired"]);
        changed["properties"].as_object_mut().unwrap().remove("years");
        let view = world.engine.put_schema(&admin, &world.agent, "user-profile", changed.clone(), Some(Version::Is(1))).await.unwrap();
        assert_eq!((view.version, view.misfits), (2, 3));
        world.work().await;
        let proposed = migrations(&world).await;
        let what: Vec<_> = proposed.values().map(|one| (one.name.as_deref().unwrap_or_default(), one.action)).collect();
        assert_eq!(what, [
            ("user-profile/years", Action::Retire),
            ("user-profile/technical_stack", Action::Update),
            ("user-profile/job_status", Action::Retire),
        ]);
        let decide = world.mia(Permission::Decide);
        for candidate in proposed.values() {
            assert!(candidate.explanation.as_deref().is_some_and(|why| why.contains("user-profile")));
            assert!(candidate.evidence.is_empty());
        }
        world.engine.approve(&decide, &proposed["ADK, Python"].id, None, Approval::default()).await.unwrap();
        world.engine.approve(&decide, &proposed["3"].id, None, Approval::default()).await.unwrap();
        world.engine.reject(&decide, &proposed["student"].id, None, Reason::Wrong, None).await.unwrap();
        let profile = world.profile("st").await["profiles"]["user-profile"].clone();
        assert_eq!(profile, json!({"technical_stack": ["ADK", "Python"], "job_status": "student"}), "a person's no leaves it served");

        // What a person refused is not proposed again; a schema that goes takes its profile out of sight at once.
        changed["title"] = json!("Another");
        let view = world.engine.put_schema(&admin, &world.agent, "user-profile", changed, None).await.unwrap();
        assert_eq!(view.misfits, 1);
        world.work().await;
        assert!(world.waiting().await.is_empty());
        world.engine.remove_schema(&admin, &world.agent, "user-profile", None).await.unwrap();
        assert_eq!(world.profile("st").await, json!({"profiles": {}}));
        let user = UserRef::parse("st").unwrap();
        let tables = world.engine.profile_fields(&world.mia(Permission::ReadMemories), &user, Some(&world.agent)).await.unwrap();
        assert_eq!((tables[0].version, tables[0].fields.len()), (None, 2));
        world.work().await;
        let retired = migrations(&world).await;
        assert_eq!(retired["ADK, Python"].target.as_ref(), Some(&stack.id));
        assert_eq!(retired["ADK, Python"].action, Action::Retire);
        world.verify().await;
    }

    // C8
    async fn what_waited_while_its_schema_changed_is_looked_at_when_it_is_approved(db: &TestDb) {
        let world = World::new(db).await;
        world.with_schema().await;
        let admin = world.mia(Permission::Administer);
        world.engine.create_kind(&admin, &world.agent, deal(of_owner())).await.unwrap();
        let years = world.propose("profile_field", Some("user-profile/years"), "3", json!({})).await;
        let status = world.propose("profile_field", Some("user-profile/job_status"), "student", json!({})).await;
        let acme = world.propose("deal", None, "Acme wants a quote", json!({"owner": "Mia", "note": "soon"})).await;
        let mut changed = schema();
        changed["properties"]["years"] = json!({"type": "string"});
        changed["properties"]["job_status"]["enum"] = json!(["employed"]);
        world.engine.put_schema(&admin, &world.agent, "user-profile", changed, None).await.unwrap();
        let closed = json!({"type": "object", "properties": {"owner": {"type": "string"}}, "additionalProperties": false});
        world.patch("deal", json!({"metadata_schema": closed})).await;
        world.work().await;
        let decide = world.mia(Permission::Decide);
        world.engine.approve(&decide, &years, None, Approval::default()).await.unwrap();
        assert_eq!(world.profile("st").await["profiles"]["user-profile"], json!({"years": "3"}), "as the schema has it now");
        let refused = world.engine.approve(&decide, &status, None, Approval::default()).await.unwrap_err();
        assert_eq!(refused.fields()[0].code, "schema");
        world.engine.reject(&decide, &status, None, Reason::Wrong, None).await.unwrap();
        world.engine.approve(&decide, &acme, None, Approval::default()).await.unwrap();
        assert_eq!(world.engine.kind(&admin, &world.agent, "deal").await.unwrap().misfits, 1);
        world.work().await;
        let proposed = migrations(&world).await;
        assert_eq!(proposed["Acme wants a quote"].metadata, json!({"owner": "Mia"}).as_object().cloned().unwrap());
        world.verify().await;
    }

    // A11, B6
    async fn turning_business_on_writes_its_times_where_they_are_seen(db: &TestDb) {
        let world = World::new(db).await;
        let admin = world.mia(Permission::Administer);
        let sets = |names: &[&str]| AgentPatch {
            kinds: Some(KindsPatch { sets: Some(names.iter().map(ToString::to_string).collect()), enabled: None }),
            ..AgentPatch::default()
        };
        let preference = async || world.engine.kind(&world.mia(Permission::ReadAgents), &world.agent, "preference").await.unwrap();
        assert_eq!(preference().await.ttl_days, None);
        world.engine.change_agent(&admin, &world.agent, None, sets(&["assistant", "business"])).await.unwrap();
        assert_eq!(preference().await.ttl_days, Some(180));
        let kinds = world.engine.kinds(&admin, &world.agent).await.unwrap();
        assert_eq!(kinds.iter().filter(|kind| kind.name == "preference").count(), 1);
        assert_eq!(kinds.iter().find(|kind| kind.name == "metric").unwrap().ttl_days, Some(30));
        world.patch("preference", json!({"ttl_days": 400})).await;
        let candidate = world.proposed("ana", "preference", None, "User prefers tea").await;
        let approved = world.engine.approve(&world.mia(Permission::Decide), &candidate.id, None, Approval::default()).await.unwrap();
        let memory = world.engine.memory(&world.mia(Permission::ReadMemories), &approved.memory.unwrap()).await.unwrap();
        assert_eq!(memory.expires_at, Some(world.engine.now() + Span::days(400)), "settable");
        world.engine.change_agent(&admin, &world.agent, None, sets(&["business"])).await.unwrap();
        let alone = preference().await;
        assert_eq!((alone.enabled, alone.cap, alone.ttl_days), (true, Some(5), Some(400)));
    }

    // C8
    async fn what_waits_for_a_field_that_goes_waits_no_more(db: &TestDb) {
        let world = World::new(db).await;
        world.with_schema().await;
        let stack = world.field("st", "technical_stack", "ADK").await;
        let field = async |name: &str, words: &str| world.propose("profile_field", Some(name), words, json!({})).await;
        let update = field("user-profile/technical_stack", "ADK, Python").await;
        let create = field("user-profile/job_status", "student").await;
        let years = field("user-profile/years", "3").await;
        assert_eq!(world.candidate(&update).await.action, Action::Update);
        let other = world.propose("fact", None, "User lives in Oslo", json!({})).await;
        let status = async |id: &CandidateId| {
            let one = world.candidate(id).await;
            (one.status, one.reason)
        };
        let admin = world.mia(Permission::Administer);
        let mut narrower = schema();
        narrower["properties"].as_object_mut().unwrap().remove("years");
        world.engine.put_schema(&admin, &world.agent, "user-profile", narrower, None).await.unwrap();
        assert_eq!(status(&years).await, (Status::Rejected, Some(Reason::Superseded)));
        assert_eq!((status(&update).await, status(&create).await), ((Status::Pending, None), (Status::Pending, None)));
        world.engine.remove_schema(&admin, &world.agent, "user-profile", None).await.unwrap();
        for gone in [&update, &create] {
            assert_eq!(status(gone).await, (Status::Rejected, Some(Reason::Superseded)));
        }
        assert_eq!(status(&other).await, (Status::Pending, None));
        // What retires the field can still be decided.
        world.work().await;
        let retire = migrations(&world).await.remove("ADK").unwrap();
        assert_eq!((retire.action, retire.target.as_ref()), (Action::Retire, Some(&stack.id)));
        world.engine.approve(&world.mia(Permission::Decide), &retire.id, None, Approval::default()).await.unwrap();
        world.verify().await;
    }

    // F2
    async fn approved_as_another_kind_it_keeps_what_that_kind_names(db: &TestDb) {
        let world = World::new(db).await;
        let admin = world.mia(Permission::Administer);
        world.engine.create_kind(&admin, &world.agent, deal(of_owner())).await.unwrap();
        let lead = NewKind { name: "lead".into(), ..deal(json!({"type": "object", "properties": {"owner": {"type": "string"}}})) };
        world.engine.create_kind(&admin, &world.agent, lead).await.unwrap();
        let approved = async |content: &str, edit: Edit| {
            let id = world.propose("deal", None, content, json!({"owner": "Mia", "note": "soon"})).await;
            let approval = Approval { edit, ..Approval::default() };
            let approved = world.engine.approve(&world.mia(Permission::Decide), &id, None, approval).await.unwrap();
            let memory = world.engine.memory(&world.mia(Permission::ReadMemories), &approved.memory.unwrap()).await.unwrap();
            (memory.kind, Value::Object(memory.metadata))
        };
        let kind = |kind: &str| Edit { kind: Some(kind.into()), ..Edit::default() };
        assert_eq!(approved("Acme wants a quote", kind("lead")).await, ("lead".into(), json!({"owner": "Mia"})));
        assert_eq!(approved("Bolt waits for a call", kind("fact")).await, ("fact".into(), json!({})));
        assert_eq!(approved("Crux has said no", kind("deal")).await, ("deal".into(), json!({"owner": "Mia", "note": "soon"})));
        let own = Edit { metadata: json!({"size": 3}).as_object().cloned(), ..kind("lead") };
        assert_eq!(approved("Dorn has signed", own).await, ("lead".into(), json!({"size": 3})), "what a person writes is theirs");
    }
}
