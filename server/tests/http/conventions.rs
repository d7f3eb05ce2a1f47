//! What holds for every call: lists are whole while rows arrive, a repeated post is done once however many come at a time, and names
//! of users come back as they were sent.

use std::collections::{BTreeMap, BTreeSet};

use domain::permission::RoleName;
use futures::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::house::{Api, story};
use store::testing::TestDb;

/// A small generator (xorshift), so that a walk that fails can be walked again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }
}

/// The lists that grow while an agent is used, and what names a row of each.
const LISTS: [(&str, &str); 4] = [
    ("/candidates?agent=support", "id"),
    ("/memories?agent=support", "id"),
    ("/users?agent=support", "id"),
    ("/audit/events?agent=support", "seq"),
];

/// A memory and a proposal of a new user.
async fn arrive(mia: &Api<'_>, number: usize) {
    let user = format!("user {number}");
    let memory =
        json!({"user_id": user, "kind": "fact", "content": format!("User owns {number} horses")});
    mia.post("/memories?agent=support", memory)
        .await
        .ok(StatusCode::CREATED);
    let candidate =
        json!({"user_id": user, "kind": "fact", "content": format!("User has {number} cats")});
    mia.post("/candidates?agent=support", candidate)
        .await
        .ok(StatusCode::CREATED);
}

/// Every row of a list, page by page; `between` happens after each.
async fn walk(
    mia: &Api<'_>,
    list: (&str, &str),
    dice: &mut Dice,
    mut between: impl AsyncFnMut(&mut Dice, &[String]),
) -> Vec<String> {
    let (path, names) = list;
    let mut seen = Vec::new();
    let mut cursor = None::<String>;
    loop {
        let from = cursor.map_or(String::new(), |cursor| format!("&cursor={cursor}"));
        let limit = 1 + dice.roll(7);
        let page = mia
            .get(&format!("{path}&limit={limit}{from}"))
            .await
            .ok(StatusCode::OK);
        let rows = page["data"].as_array().unwrap();
        assert!(rows.len() <= limit);
        let rows: Vec<String> = rows.iter().map(|row| row[names].to_string()).collect();
        between(dice, &rows).await;
        seen.extend(rows);
        match page["next"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return seen,
        }
    }
}

story! {
    async fn every_row_of_every_list_is_reached_once_while_others_arrive_and_go(house: &House) {
        house.agent("support").await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let mut dice = Dice(0x5eed);
        let mut number = 0;
        for _ in 0..20 {
            number += 1;
            arrive(&mia, number).await;
        }
        for list in LISTS {
            let before: BTreeSet<String> = walk(&mia, list, &mut dice, async |_, _| {}).await.into_iter().collect();
            assert!(before.len() >= 20, "{list:?}");
            let mut gone = BTreeSet::new();
            let seen = walk(&mia, list, &mut dice, async |dice, rows| {
                if dice.roll(2) == 0 {
                    number += 1;
                    arrive(&mia, number).await;
                }
                // The row at which the next page begins may go too.
                if list.0.starts_with("/memories") && dice.roll(3) == 0 && let Some(last) = rows.last() {
                    let path = format!("/memories/{}", last.trim_matches('"'));
                    let retired = mia.call(Method::DELETE, &path, &[("if-match", "*")], None).await;
                    assert!(matches!(retired.status, 200 | 204), "{retired:?}");
                    gone.insert(last.clone());
                }
            }).await;
            let once: BTreeMap<&String, usize> = seen.iter().fold(BTreeMap::new(), |mut once, row| {
                *once.entry(row).or_default() += 1;
                once
            });
            assert!(once.values().all(|&times| times == 1), "{list:?}: {once:?}");
            let missed: Vec<_> = before.difference(&gone).filter(|row| !once.contains_key(row)).collect();
            assert!(missed.is_empty(), "{list:?}: {missed:?}");
        }
    }
}

story! {
    async fn of_fifty_equal_posts_at_once_one_is_done(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let body = json!({"user_id": "ana", "end": true, "messages": [{"role": "user", "content": "I prefer code examples in Python rather than pseudocode"}]});
        let post = || agent.call(Method::POST, "/conversations", &[("idempotency-key", "once")], Some(body.clone()));
        let answers = join_all((0..50).map(|_| post())).await;
        let mut conversations = BTreeSet::new();
        for answer in &answers {
            match answer.status {
                202 => drop(conversations.insert(answer.json()["conversation"].to_string())),
                _ => assert_eq!(answer.problem(409), "idempotency_in_flight"),
            }
        }
        assert_eq!(conversations.len(), 1, "{answers:?}");
        // Whoever was told to come again gets the answer of the one that was done.
        let last = post().await;
        assert!(conversations.contains(&last.ok(StatusCode::ACCEPTED)["conversation"].to_string()));
        agent.finished(last.json()["operation"].as_str().unwrap()).await;
        assert_eq!(mia.waiting("ana").await.len(), 1);
    }
}

story! {
    async fn one_conversation_posted_from_two_sides_has_no_message_twice(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let body = json!({"user_id": "ana", "conversation_id": "c-1", "messages": [
            {"id": "m1", "role": "user", "content": "I live in Oslo."},
            {"id": "m2", "role": "assistant", "content": "Noted."},
            {"id": "m3", "role": "user", "content": "I prefer tea."}]});
        let answers = join_all((0..8).map(|_| agent.post("/conversations", body.clone()))).await;
        let answers: Vec<Value> = answers.iter().map(|answer| answer.ok(StatusCode::ACCEPTED)).collect();
        let sum = |field: &str| answers.iter().map(|answer| answer[field].as_u64().unwrap()).sum::<u64>();
        assert_eq!((sum("accepted"), sum("known")), (3, 21));
        let conversations: BTreeSet<_> = answers.iter().map(|answer| answer["conversation"].to_string()).collect();
        assert_eq!(conversations.len(), 1);
    }
}

story! {
    async fn a_users_name_comes_back_as_it_was_sent(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        for name in ["x\" or \"1\"=\"1", "a:b/../c", "%", "100%25", "🙂", "山本 ゆき", "+ &=?#"] {
            let proposed = json!({"user_id": name, "kind": "fact", "content": "User lives in Oslo"});
            let candidate = agent.post("/candidates", proposed).await.ok(StatusCode::CREATED)["candidate"].clone();
            let path = format!("/candidates/{}/approve", candidate["id"].as_str().unwrap());
            let approved = mia.post(&path, json!({})).await.ok(StatusCode::OK);
            assert_eq!(approved["user_id"], name);
            let encoded: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
            // In a path a space is %20: a plus is a plus there.
            let in_path = encoded.replace('+', "%20");
            let listed = agent.get(&format!("/memories?user_id={encoded}")).await.ok(StatusCode::OK);
            assert_eq!((listed["data"].as_array().unwrap().len(), &listed["data"][0]["user_id"]), (1, &json!(name)));
            assert_eq!(agent.context(name).await["items"].as_array().unwrap().len(), 1, "{name}");
            let user = mia.get(&format!("/users/{in_path}?agent=support")).await.ok(StatusCode::OK);
            assert_eq!(user["user_id"], name);
        }
    }
}
