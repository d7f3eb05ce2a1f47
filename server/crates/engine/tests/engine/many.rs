//! What is shown where there is more of it than a page holds.

use std::collections::BTreeSet;

use domain::{
    agent::AgentScope,
    candidate::{Action, Proposal},
    id::MemoryId,
    permission::Permission,
    time::Span,
    user::Scope,
};
use engine::{MemoryFilter, OsEntropy, Page, UserRef};
use store::{NewCandidate, Stamp, Write, testing::TestDb};

use crate::world::{World, start};

store::both! {
    async fn a_user_has_the_same_figures_alone_and_in_the_list(db: &TestDb) {
        let world = World::new(db).await;
        world.say("ana", &["hello"]).await;
        let read = world.mia(Permission::ReadUsers);
        let listed = async || world.engine.users(&read, None, None, &Page::default()).await.unwrap().data.remove(0);
        let ana = listed().await.id;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        for number in 0..201 {
            tx.create_conversation(&world.agent, &ana, Some(&format!("c-{number}")), None, start() + Span::minutes(number)).await.unwrap();
        }
        tx.commit().await.unwrap();
        let alone = world.engine.user(&read, &UserRef::Id(ana), None).await.unwrap().user;
        assert_eq!(alone.conversations, 202);
        assert_eq!(serde_json::to_value(&alone).unwrap(), serde_json::to_value(listed().await).unwrap());

        // Page by page all of them are reached, each once.
        let (mut met, mut page) = (BTreeSet::new(), Page { limit: 50, ..Page::default() });
        let ana = UserRef::Id(alone.id);
        loop {
            let part = world.engine.conversations_of(&read, &ana, None, &page).await.unwrap();
            assert!(part.data.len() <= 50 && part.data.iter().all(|row| met.insert(row.id.clone())));
            page.cursor = part.next;
            if page.cursor.is_none() { break }
        }
        assert_eq!(met.len(), 202);
        let odd = Page { cursor: Some("somewhere".into()), ..Page::default() };
        assert_eq!(world.engine.conversations_of(&read, &ana, None, &odd).await.unwrap_err().code(), "invalid");
    }

    async fn a_search_about_one_user_ranks_all_of_theirs(db: &TestDb) {
        let world = World::new(db).await;
        let stamp = Stamp::system(start());
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let ana = tx.ensure_user(&world.agent, &Scope::user_id("ana").unwrap(), &stamp).await.unwrap();
        for number in 0..501_i64 {
            let write = Write {
                kind: "fact".into(),
                name: None,
                content: if number == 0 { "User plays the cello".into() } else { format!("User has visited house {number}") },
                metadata: Default::default(),
                tags: vec![],
                confidence: 0.5,
                importance: 0.5,
                language: "en".into(),
                expires_at: None,
                serve_from: None,
                conversation: None,
                said_at: start(),
                candidate: None,
                decision: None,
                note: None,
            };
            let id = MemoryId::new(start() + Span::milliseconds(number), &OsEntropy);
            tx.create_memory(id, &world.agent, &ana.id, &write, &stamp).await.unwrap();
        }
        tx.commit().await.unwrap();
        let theirs = MemoryFilter { user: Some(ana.id), ..MemoryFilter::default() };
        let found = world.engine.search(&world.mia(Permission::ReadMemories), theirs, "cello", 10).await.unwrap();
        assert_eq!(found.data[0].memory.content, "User plays the cello");
    }

    // A3
    async fn what_a_candidate_superseded_is_shown_however_much_was_rejected_since(db: &TestDb) {
        let world = World::new(db).await;
        let mut tx = db.db.write(AgentScope::All).await.unwrap();
        let ana = tx.ensure_user(&world.agent, &Scope::user_id("ana").unwrap(), &Stamp::system(start())).await.unwrap();
        let mut chain = Vec::new();
        for number in 0..103 {
            let new = NewCandidate {
                agent: world.agent.clone(),
                user: ana.id.clone(),
                proposal: Proposal {
                    action: Action::Create,
                    targets: vec![],
                    kind: "fact".into(),
                    name: Some("home".into()),
                    content: format!("User lives in house {number}"),
                    metadata: Default::default(),
                    tags: vec![],
                    confidence: 0.9,
                    importance: 0.5,
                    language: "en".into(),
                    flags: vec![],
                    evidence: vec![],
                    explanation: None,
                    cause: None,
                },
                extraction: None,
                supersedes: chain.last().cloned().into_iter().collect(),
            };
            let stamp = Stamp::system(start() + Span::milliseconds(number));
            chain.push(tx.propose(&new, &stamp).await.unwrap().id);
        }
        tx.commit().await.unwrap();
        let read = world.mia(Permission::ReadCandidates);
        for (before, id) in [(None, &chain[0]), (Some(&chain[0]), &chain[1]), (Some(&chain[101]), &chain[102])] {
            let shown = world.engine.candidate(&read, id).await.unwrap().supersedes;
            assert_eq!(shown.iter().map(|candidate| &candidate.id).collect::<Vec<_>>(), Vec::from_iter(before));
        }
    }
}
