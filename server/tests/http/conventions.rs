//! What holds for every call: lists are whole while rows arrive, a repeated post is done once however many come at a time, and names
//! of users come back as they were sent.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use domain::{permission::RoleName, time::Span};
use futures::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::house::{Api, House, story};
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

/// So many rows each list has at least before it is walked.
const AT_FIRST: usize = 9;
const SEEDS: [u64; 3] = [0x5eed, 0xB00C, 42];

/// Lists to which no row comes while they are walked, and why. They are walked as they are.
const AS_THEY_ARE: [(&str, &str); 2] = [
    (
        "/bulks/{id}",
        "what a bulk could not do is known when it has ended",
    ),
    (
        "/imports/{id}/errors",
        "the rows of a file are read before it has an id",
    ),
];

/// The paths that the document says are read page by page.
fn paged() -> Vec<String> {
    let document = serde_json::to_value(server::api::document()).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let paged = paths.filter(|(_, item)| {
        let parameters = item.pointer("/get/parameters").and_then(Value::as_array);
        parameters.is_some_and(|all| all.iter().any(|one| one["name"] == "cursor"))
    });
    let short = paged.map(|(path, _)| path.strip_prefix("/api/v1").unwrap().to_owned());
    short.collect()
}

/// A list that is walked.
struct List {
    /// Where it is, with what else is asked.
    path: String,
    /// Where its rows are in an answer.
    rows: &'static str,
    /// What names a row.
    row: &'static str,
}

/// An agent with something in every list.
struct Desk<'a> {
    house: &'a House,
    mia: Api<'a>,
    agent: Api<'a>,
    webhook: String,
    bulk: String,
    import: String,
    number: usize,
}

fn id(of: &Value) -> String {
    of["id"].as_str().unwrap().to_owned()
}

impl<'a> Desk<'a> {
    async fn open(house: &'a House) -> Self {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let hook = json!({"agent": "support", "url": "https://runtime.invalid/hook", "events": ["candidate.proposed"]});
        let hook = mia.post("/webhooks", hook).await.ok(StatusCode::CREATED);
        // What a dry run reads, and what a context tells.
        agent
            .says(
                "main",
                "I prefer code examples in Python rather than pseudocode",
            )
            .await;
        let told = json!({"user_id": "main", "kind": "fact", "content": "User lives in Oslo"});
        mia.post("/memories?agent=support", told)
            .await
            .ok(StatusCode::CREATED);
        let rows = ",User owns a harp\n".repeat(AT_FIRST);
        let file = json!({"agent": "support", "content": format!("user_id,memory\n{rows}")});
        let import = mia.post("/imports", file).await.ok(StatusCode::CREATED);
        let mut desk = Self {
            house,
            mia,
            agent,
            webhook: id(&hook["webhook"]),
            bulk: String::new(),
            import: id(&import),
            number: 0,
        };
        let mut picks = Vec::new();
        for _ in 0..AT_FIRST {
            picks.push(json!({"id": id(&desk.proposes().await), "version": 99}));
        }
        desk.bulk = id(&desk.rejects(picks).await);
        desk
    }

    fn numbered(&mut self) -> usize {
        self.number += 1;
        self.number
    }

    /// A proposal about the person whom more is known of.
    async fn proposes(&mut self) -> Value {
        let content = format!("User has visited house {}", self.numbered());
        let new = json!({"user_id": "main", "kind": "fact", "content": content});
        let proposed = self.mia.post("/candidates?agent=support", new).await;
        proposed.ok(StatusCode::CREATED)["candidate"].clone()
    }

    /// A memory and a proposal of a new user, whose name is answered.
    async fn meets(&mut self) -> String {
        let number = self.numbered();
        let user = format!("user {number}");
        for (path, content) in [
            (
                "/memories?agent=support",
                format!("User owns {number} horses"),
            ),
            (
                "/candidates?agent=support",
                format!("User has {number} cats"),
            ),
        ] {
            let new = json!({"user_id": user, "kind": "fact", "content": content});
            self.mia.post(path, new).await.ok(StatusCode::CREATED);
        }
        user
    }

    /// A bulk over what was picked.
    async fn rejects(&self, picks: Vec<Value>) -> Value {
        let bulk = json!({"verdict": "reject", "reason": "wrong", "candidates": picks});
        self.mia.post("/bulks", bulk).await.ok(StatusCode::CREATED)
    }

    /// Where a list of the document is here.
    fn list(&self, route: &str) -> List {
        let at = |path: &str| (path.to_owned(), "/data", "id");
        let (path, rows, row) = match route {
            "/agents/{name}/dry-runs" => at("/agents/support/dry-runs?"),
            "/audit/checkpoints" => ("/audit/checkpoints?".to_owned(), "/data", "size"),
            "/audit/events" => ("/audit/events?agent=support&".to_owned(), "/data", "seq"),
            "/bulks" | "/exports" | "/holds" | "/imports" | "/requests" => at(&format!("{route}?")),
            "/bulks/{id}" => (format!("/bulks/{}?", self.bulk), "/items/data", "id"),
            "/candidates" | "/joins" | "/memories" | "/users" => {
                at(&format!("{route}?agent=support&"))
            }
            "/imports/{id}/errors" => (format!("/imports/{}/errors?", self.import), "/data", "row"),
            "/users/{id}/as-of" => {
                let now = domain::time::rfc3339(self.house.now());
                let path = format!("/users/main/as-of?agent=support&at={now}&");
                (path, "/servings", "id")
            }
            "/users/{id}/events" => (
                "/users/main/events?agent=support&".to_owned(),
                "/data",
                "seq",
            ),
            "/webhooks/{id}/deliveries" => at(&format!("/webhooks/{}/deliveries?", self.webhook)),
            other => panic!("{other} is read page by page: say where it is here"),
        };
        List { path, rows, row }
    }

    /// A row more in a list of the document.
    async fn arrives(&mut self, route: &str) {
        let (path, new, status) = match route {
            "/audit/checkpoints" => {
                self.house.engine.checkpoint().await.unwrap();
                return;
            }
            "/audit/events"
            | "/candidates"
            | "/memories"
            | "/users"
            | "/webhooks/{id}/deliveries" => {
                self.meets().await;
                return;
            }
            "/bulks" => {
                let candidate = self.proposes().await;
                let pick = json!({"id": candidate["id"], "version": candidate["version"]});
                self.rejects(vec![pick]).await;
                return;
            }
            "/users/{id}/as-of" => {
                self.agent.context("main").await;
                return;
            }
            "/users/{id}/events" => {
                self.proposes().await;
                return;
            }
            "/agents/{name}/dry-runs" => (
                "/agents/support/dry-runs",
                json!({"confirm": true}),
                StatusCode::ACCEPTED,
            ),
            "/exports" => (
                "/exports",
                json!({"agent": "support"}),
                StatusCode::ACCEPTED,
            ),
            "/holds" => {
                let reason = format!("Case {}", self.numbered());
                let hold = json!({"agent": "support", "user_id": "main", "reason": reason});
                ("/holds", hold, StatusCode::CREATED)
            }
            "/imports" => {
                let file = format!("user_id,memory\nbo,User has {} boats\n", self.numbered());
                (
                    "/imports",
                    json!({"agent": "support", "content": file}),
                    StatusCode::CREATED,
                )
            }
            "/joins" => {
                let guest = self.meets().await;
                (
                    "/joins?agent=support",
                    json!({"guest": guest, "main": "main"}),
                    StatusCode::CREATED,
                )
            }
            "/requests" => {
                let request = json!({"sort": "copy", "agent": "support", "user_id": "main"});
                ("/requests", request, StatusCode::CREATED)
            }
            other => panic!("nobody fills {other}: say how a row comes, or why none does"),
        };
        self.mia.post(path, new).await.ok(status);
    }

    /// Every row of a list, page by page.
    async fn walk(&mut self, route: &str, dice: &mut Dice, meanwhile: bool) -> Walk {
        let List { path, rows, row } = self.list(route);
        let (within, _) = rows.rsplit_once('/').unwrap();
        let mut walk = Walk::default();
        let mut cursor = None::<String>;
        loop {
            let from = cursor.map_or(String::new(), |cursor| format!("&cursor={cursor}"));
            let limit = 1 + dice.roll(7);
            let page = self.mia.get(&format!("{path}limit={limit}{from}")).await;
            let page = page.ok(StatusCode::OK);
            let listed = page.pointer(rows).and_then(Value::as_array).unwrap();
            assert!(listed.len() <= limit, "{route}: {page}");
            let listed: Vec<String> = listed.iter().map(|one| one[row].to_string()).collect();
            // Something comes between the first two pages in any case.
            if meanwhile && (walk.seen.is_empty() || dice.roll(2) == 0) {
                self.arrives(route).await;
                walk.arrived += 1;
            }
            // The row at which the next page begins may go too.
            if meanwhile
                && route == "/memories"
                && dice.roll(3) == 0
                && let Some(last) = listed.last()
            {
                let path = format!("/memories/{}", last.trim_matches('"'));
                let seen = [("if-match", "*")];
                let retired = self.mia.call(Method::DELETE, &path, &seen, None).await;
                retired.ok(StatusCode::OK);
                walk.gone.insert(last.clone());
            }
            walk.seen.extend(listed);
            match page
                .pointer(&format!("{within}/next"))
                .and_then(Value::as_str)
            {
                Some(next) => cursor = Some(next.to_owned()),
                None => return walk,
            }
        }
    }

    /// The rows of a list, once there are as many as came: some are written in the background.
    async fn at_least(&mut self, route: &str, rows: usize, dice: &mut Dice) -> BTreeSet<String> {
        let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
        loop {
            let seen = self.walk(route, dice, false).await.seen;
            if seen.len() >= rows {
                return seen.into_iter().collect();
            }
            assert!(
                tokio::time::Instant::now() < deadline,
                "{route}: {rows} came, {seen:?} are there"
            );
            // A webhook rests for two seconds after a try that failed.
            self.house.clock.advance(Span::seconds(2));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// What was seen of a list while rows came and went.
#[derive(Default)]
struct Walk {
    seen: Vec<String>,
    arrived: usize,
    gone: BTreeSet<String>,
}

story! {
    async fn every_row_of_every_list_is_reached_once_while_others_arrive_and_go(house: &House) {
        let mut desk = Desk::open(house).await;
        let routes = paged();
        assert!(routes.len() >= 17, "{routes:?}");
        for (route, why) in AS_THEY_ARE {
            assert!(routes.iter().any(|path| path == route), "{route}, of which it is said that {why}, is no list");
        }
        for route in &routes {
            let grows = AS_THEY_ARE.iter().all(|(path, _)| path != route);
            if grows {
                for _ in 0..AT_FIRST {
                    desk.arrives(route).await;
                }
            }
            let mut there = AT_FIRST;
            for seed in SEEDS {
                let mut dice = Dice(seed);
                let before = desk.at_least(route, there, &mut dice).await;
                let walk = desk.walk(route, &mut dice, grows).await;
                let once: BTreeMap<&String, usize> = walk.seen.iter().fold(BTreeMap::new(), |mut once, row| {
                    *once.entry(row).or_default() += 1;
                    once
                });
                assert!(once.values().all(|&times| times == 1), "{route}, {seed:#x}: {once:?}");
                let missed: Vec<_> = before.difference(&walk.gone).filter(|row| !once.contains_key(row)).collect();
                assert!(missed.is_empty(), "{route}, {seed:#x}: {missed:?}");
                assert!(grows == (walk.arrived > 0), "{route}");
                there = before.len() + walk.arrived - walk.gone.len();
            }
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
