//! The stream of what happens, and the keys of a person.

use std::time::Duration;

use domain::{permission::RoleName, time::Span};
use engine::Heard;
use reqwest::Response;
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    house::{Api, House, story},
    sign_in::Browser,
};

/// Longer than anything takes here; what is waited for comes at once.
const LIMIT: Duration = Duration::from_secs(20);

/// An event as a browser takes it.
#[derive(Debug, Default)]
struct Event {
    name: String,
    id: String,
    data: String,
}

/// An open stream.
struct Stream {
    response: Response,
    read: String,
}

impl Stream {
    fn new(response: Response) -> Self {
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["x-accel-buffering"], "no");
        Self {
            response,
            read: String::new(),
        }
    }

    /// The next event that is no ping; `None` at the end.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.read.clone().split_once("\n\n") {
                self.read = rest.to_owned();
                let mut event = Event::default();
                for (name, value) in block.lines().filter_map(|line| line.split_once(':')) {
                    let value = value.trim_start().to_owned();
                    match name {
                        "event" => event.name = value,
                        "id" => event.id = value,
                        "data" => event.data = value,
                        _ => {}
                    }
                }
                if !event.name.is_empty() {
                    return Some(event);
                }
                continue;
            }
            let chunk = tokio::time::timeout(LIMIT, self.response.chunk())
                .await
                .expect("something comes");
            self.read
                .push_str(std::str::from_utf8(&chunk.unwrap()?).unwrap());
        }
    }

    async fn happened(&mut self) -> (Vec<(String, String)>, String) {
        let event = self.next().await.unwrap();
        assert_eq!(event.name, "happened", "{event:?}");
        let all: Vec<Value> = serde_json::from_str(&event.data).unwrap();
        let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
        for one in &all {
            assert_eq!(
                one.as_object().unwrap().len(),
                2,
                "ids and words, nothing else: {one}"
            );
        }
        (
            all.iter()
                .map(|one| (text(one, "type"), text(one, "id")))
                .collect(),
            event.id,
        )
    }
}

async fn proposed(key: &Api<'_>, content: &str) -> String {
    let body = json!({"user_id": "ana", "kind": "fact", "content": content});
    let answer = key
        .post("/candidates", body)
        .await
        .ok(reqwest::StatusCode::CREATED);
    answer["candidate"]["id"].as_str().unwrap().to_owned()
}

async fn signed_in<'a>(house: &'a House, name: &str, role: RoleName) -> Browser<'a> {
    house.person(name, role).await;
    let mut browser = Browser::new(house);
    browser
        .signs_in(&format!("{}@example.com", name.to_lowercase()))
        .await;
    browser
}

story! {
    async fn a_desk_hears_what_happens_and_after_a_break_what_it_missed(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = signed_in(house, "Mia", RoleName::Reviewer).await;
        let mut stream = Stream::new(mia.stream("/live", None).await);
        let hello = stream.next().await.unwrap();
        assert_eq!(hello.name, "hello");
        assert!(hello.id.parse::<Heard>().is_ok(), "{hello:?}");

        let first = proposed(&agent, "User lives in Oslo").await;
        let (all, id) = stream.happened().await;
        assert_eq!(all, [("candidate.proposed".to_owned(), first)]);
        drop(stream);
        let second = proposed(&agent, "User keeps bees").await;

        let mut again = Stream::new(mia.stream("/live", Some(&id)).await);
        assert_eq!(again.next().await.unwrap().name, "hello");
        let (all, _) = again.happened().await;
        assert_eq!(all, [("candidate.proposed".to_owned(), second)]);
    }

    async fn the_stream_of_a_session_ends_with_it_and_is_open_to_nobody_else(house: &House) {
        house.agent("support").await;
        let mut mia = signed_in(house, "Mia", RoleName::Viewer).await;
        let mut stream = Stream::new(mia.stream("/live", None).await);
        assert_eq!(stream.next().await.unwrap().name, "hello");
        assert_eq!(mia.post("/logout", &[]).await.status, 303);
        assert_eq!(stream.next().await.unwrap().name, "over");
        assert!(stream.next().await.is_none(), "closed");
        let nobody = mia.stream("/live", None).await;
        assert_eq!((nobody.status().as_u16(), nobody.headers()["location"].to_str().unwrap()), (303, "/login?next=%2Flive"));
    }

    async fn a_stream_that_opens_itself_anew_keeps_no_session_awake(house: &House) {
        house.agent("support").await;
        let mut mia = signed_in(house, "Mia", RoleName::Viewer).await;
        house.clock.advance(Span::minutes(20));
        let mut stream = Stream::new(mia.stream("/live", None).await);
        assert_eq!(stream.next().await.unwrap().name, "hello", "a session that lasts is enough");
        drop(stream);
        house.clock.advance(Span::minutes(11));
        assert_eq!(mia.stream("/live", None).await.status(), 303, "half an hour after anything was done");
        assert_eq!(mia.get("/review").await.status, 303);
    }

    // WCAG 2.1.4
    async fn keys_are_changed_collisions_refused_with_what_was_typed_and_reset(house: &House) {
        house.agent("support").await;
        let mut mia = signed_in(house, "Mia", RoleName::Reviewer).await;
        let mut aiko = signed_in(house, "Aiko", RoleName::Reviewer).await;
        let keys = "/account/keys";
        let kept = mia.post(keys, &[("on", "true"), ("approve", "y"), ("undo", "")]).await;
        assert_eq!((kept.status, kept.header("location").starts_with(keys)), (303, true), "{}", kept.text);
        let desk = mia.get("/review").await.text;
        assert!(desk.contains("approve y\n") && !desk.contains("undo u"), "{desk}");
        assert!(aiko.get("/review").await.text.contains("approve a\n"), "each has their own");
        assert!(mia.get("/help").await.text.contains("<kbd>y"), "the sheet says it");

        let refused = mia.post(keys, &[("on", "true"), ("approve", "e"), ("undo", "Delete")]).await;
        let page = mia.get(&refused.header("location")).await.text;
        assert_eq!(page.matches("aria-invalid=\"true\"").count(), 2, "{page}");
        assert!(page.contains("This key is taken: approve.") && page.contains("value=\"Delete\""), "{page}");
        assert!(mia.get("/review").await.text.contains("approve y\n"), "what was kept stays");

        mia.post(keys, &[("approve", "y")]).await;
        let off = mia.get("/review").await.text;
        assert!(off.contains("data-keys=\"save Ctrl+Enter\npalette Ctrl+K\n\""), "{off}");
        let back = mia.post("/account/keys/reset", &[]).await;
        assert_eq!(back.status, 303);
        assert!(mia.get("/review").await.text.contains("approve a\n"));
    }
}

store::both! {
    async fn a_process_that_ends_does_not_wait_for_its_streams(db: &TestDb) {
        let house = House::open(db).await;
        let response = signed_in(&house, "Mia", RoleName::Viewer).await.stream("/live", None).await;
        let mut stream = Stream::new(response);
        assert_eq!(stream.next().await.unwrap().name, "hello");
        // One that is cut off instead of ended is an error of the reader.
        let ((), end) = tokio::join!(house.close(), stream.next());
        assert!(end.is_none());
    }
}
