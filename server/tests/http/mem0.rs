//! The surface for clients of mem0: bodies and headers as `MemoryClient` and the clients of the self-hosted server send them.

use domain::permission::{Grant, RoleName};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use url::form_urlencoded;

use crate::house::{Answer, Api, House, settings, story};
use store::testing::TestDb;

/// A client of mem0 with one of our keys.
struct Mem0<'a> {
    house: &'a House,
    key: String,
}

impl<'a> Mem0<'a> {
    fn of(api: &Api<'a>) -> Self {
        Self {
            house: api.house,
            key: api.key.clone(),
        }
    }

    async fn send(&self, request: reqwest::RequestBuilder, body: Option<Value>) -> Answer {
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        Answer::of(request.send().await.unwrap()).await
    }

    fn at(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let url = format!("{}/compat/mem0{path}", self.house.url);
        self.house.http.request(method, url)
    }

    /// As the platform's client.
    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let request = self.at(method, path);
        let request = request.header("authorization", format!("Token {}", self.key));
        self.send(request, body).await
    }

    /// As a client of the self-hosted server.
    async fn hosted(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let request = self.at(method, path).header("x-api-key", &self.key);
        self.send(request, body).await
    }

    async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, None).await
    }

    async fn post(&self, path: &str, body: Value) -> Answer {
        self.call(Method::POST, path, Some(body)).await
    }

    /// What is proposed word for word.
    async fn adds(&self, user: &str, words: &str) -> Value {
        let message = json!([{"role": "user", "content": words}]);
        let body = json!({"messages": message, "user_id": user, "infer": false});
        self.post("/v3/memories/add/", body)
            .await
            .ok(StatusCode::OK)
    }

    /// What the client's `get_all` finds.
    async fn all(&self, filters: Value) -> Value {
        let body = json!({"filters": filters});
        self.post("/v3/memories/", body).await.ok(StatusCode::OK)
    }

    /// What the client's `search` finds.
    async fn finds(&self, query: &str, filters: Value) -> Vec<Value> {
        let body = json!({"query": query, "filters": filters});
        let found = self.post("/v3/memories/search/", body).await;
        rows(&found.ok(StatusCode::OK))
    }
}

fn rows(list: &Value) -> Vec<Value> {
    list["results"].as_array().unwrap().clone()
}

fn id(value: &Value) -> &str {
    value["id"].as_str().unwrap()
}

/// The sentence of an error, where the client looks for it.
#[track_caller]
fn told(answer: &Answer, status: u16) -> String {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(answer.header("content-type"), "application/json");
    answer.json()["detail"].as_str().unwrap().to_owned()
}

/// Approves what waits of an agent, all of it.
async fn approve_all(mia: &Api<'_>, agent: &str) {
    let path = format!("/candidates?status=pending&agent={agent}");
    let waiting = mia.get(&path).await.ok(StatusCode::OK);
    for candidate in waiting["data"].as_array().unwrap() {
        let path = format!("/candidates/{}/approve", id(candidate));
        mia.post(&path, json!({})).await.ok(StatusCode::OK);
    }
}

story! {
    // F13
    async fn what_is_added_waits_and_only_what_was_approved_is_read(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let client = Mem0::of(&agent);
        let ping = client.get("/v1/ping/").await.ok(StatusCode::OK);
        assert_eq!((&ping["project_id"], &ping["user_email"]), (&json!("support"), &Value::Null));
        assert!(ping["org_id"].is_string(), "the client refuses to start without both: {ping}");

        let said = json!([{"role": "user", "content": "I prefer code examples in Python rather than pseudocode"}, {"role": "assistant", "content": "Noted!"}]);
        let body = json!({"messages": said, "user_id": "ana", "run_id": "r1"});
        let added = client.post("/v3/memories/add/", body).await.ok(StatusCode::OK);
        assert_eq!((&added["status"], &added["results"]), (&json!("PENDING"), &json!([])));
        let event = added["event_id"].as_str().unwrap();
        agent.finished(event).await;
        let event = client.get(&format!("/v1/event/{event}/")).await.ok(StatusCode::OK);
        assert_eq!((&event["status"], &event["results"][0]["event"]), (&json!("SUCCEEDED"), &json!("PENDING")));
        assert_eq!(event["results"][0].get("memory"), None, "what waits is not told: {event}");

        let ana = json!({"user_id": "ana"});
        assert_eq!(client.all(ana.clone()).await["results"], json!([]), "nothing is read before it is approved");
        assert!(client.finds("python", ana.clone()).await.is_empty());
        let waiting = id(&event["results"][0]).to_owned();
        told(&client.get(&format!("/v1/memories/{waiting}/")).await, 404);

        mia.post(&format!("/candidates/{waiting}/approve"), json!({"note": "shown to nobody"})).await.ok(StatusCode::OK);
        let all = client.all(ana.clone()).await;
        assert_eq!((&all["count"], &all["next"], &all["previous"]), (&json!(1), &Value::Null, &Value::Null));
        let memory = &all["results"][0];
        assert!(memory["memory"].as_str().unwrap().contains("Python"), "{memory}");
        assert_eq!((&memory["user_id"], &memory["agent_id"], &memory["kind"]), (&json!("ana"), &json!("support"), &json!("preference")));
        let path = format!("/v1/memories/{}/", id(memory));
        assert_eq!(client.get(&path).await.ok(StatusCode::OK), *memory);
        let found = client.finds("code examples in python", ana.clone()).await;
        assert_eq!(found[0]["id"], memory["id"]);
        assert!(found[0]["score"].as_f64().is_some_and(|score| score > 0.0 && score <= 1.0), "{found:?}");
        let body = json!({"query": "python", "filters": ana, "threshold": 1.1});
        assert!(rows(&client.post("/v3/memories/search/", body).await.json()).is_empty());

        let history = client.get(&format!("{path}history/")).await.ok(StatusCode::OK);
        assert_eq!(history.as_array().unwrap().len(), 1);
        assert_eq!((&history[0]["event"], &history[0]["new_memory"], &history[0]["old_memory"]), (&json!("ADD"), &memory["memory"], &Value::Null));
        assert!(!history.to_string().contains("shown to nobody"), "{history}");

        // The older versions, and the self-hosted server.
        let of_run = |run: &str| json!({"AND": [{"user_id": "ana"}, {"run_id": run}]});
        let two = client.post("/v2/memories/", json!({"filters": of_run("r1")})).await.ok(StatusCode::OK);
        assert_eq!(two["results"][0]["id"], memory["id"]);
        assert_eq!(client.all(of_run("r2")).await["count"], 0);
        assert!(client.finds("python", of_run("r2")).await.is_empty());
        let one = client.get("/v1/memories/?user_id=ana&page=1&page_size=50").await.ok(StatusCode::OK);
        assert_eq!(one["results"][0]["id"], memory["id"]);
        let hosted = client.hosted(Method::GET, "/memories?user_id=ana", None).await.ok(StatusCode::OK);
        assert_eq!(hosted["results"][0]["id"], memory["id"]);
        let body = json!({"query": "python", "user_id": "ana"});
        let hosted = client.hosted(Method::POST, "/search", Some(body)).await.ok(StatusCode::OK);
        assert_eq!(hosted["results"][0]["id"], memory["id"]);
        let path = format!("/memories/{}", id(memory));
        assert_eq!(client.hosted(Method::GET, &path, None).await.ok(StatusCode::OK)["memory"], memory["memory"]);
        let hosted = client.hosted(Method::GET, &format!("{path}/history"), None).await.ok(StatusCode::OK);
        assert_eq!(hosted, history);
    }
}

story! {
    // F13
    async fn what_is_added_as_it_stands_is_a_proposal_for_each_message(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let client = Mem0::of(&agent);
        let body = json!({
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "User works at Acme"}],
            "filters": {"user_id": "ana"}, "infer": false, "metadata": {"topic": "work", "since": 2024}, "categories": ["job"],
            "custom_instructions": "none"
        });
        let added = client.post("/v3/memories/add/", body.clone()).await.ok(StatusCode::OK);
        assert_eq!((&added["status"], &added["event_id"]), (&json!("PENDING"), &Value::Null));
        assert_eq!(added["warnings"], json!(["unknown field: custom_instructions"]));
        assert_eq!(rows(&added).len(), 1, "instructions are nothing to remember: {added}");
        let first = &added["results"][0];
        assert_eq!((&first["event"], &first["memory"]), (&json!("PENDING"), &json!("User works at Acme")));
        assert!(id(first).starts_with("cand_"));
        assert_eq!(client.all(json!({"user_id": "ana"})).await["count"], 0);
        let again = client.post("/v3/memories/add/", body.clone()).await.ok(StatusCode::OK);
        assert_eq!(again["results"], added["results"], "the same waits already");

        approve_all(&mia, "support").await;
        let known = client.post("/v1/memories/", body).await.ok(StatusCode::OK);
        assert_eq!((&known["status"], &known["results"][0]["event"], &known["results"][0]["reason"]), (&json!("SUCCEEDED"), &json!("NONE"), &json!("known")));
        assert!(id(&known["results"][0]).starts_with("mem_"));
        let memory = client.all(json!({"user_id": "ana"})).await["results"][0].clone();
        assert_eq!((&memory["kind"], &memory["metadata"]), (&json!("fact"), &json!({"topic": "work", "since": 2024})));
        assert_eq!(memory["categories"], json!(["job"]));

        let tomorrow = domain::time::rfc3339(house.now() + domain::time::Span::days(1));
        for (filter, count) in [
            (json!({"categories": {"in": ["job", "food"]}}), 1),
            (json!({"categories": {"ne": "job"}}), 0),
            (json!({"metadata": {"topic": "work"}}), 1),
            (json!({"metadata": {"since": 2025}}), 0),
            (json!({"OR": [{"metadata": {"topic": "food"}}, {"keywords": {"icontains": "acme"}}]}), 1),
            (json!({"NOT": [{"keywords": {"contains": "Acme"}}]}), 0),
            (json!({"created_at": {"lt": tomorrow, "gte": "2020-01-01"}}), 1),
            (json!({"created_at": {"gt": tomorrow}}), 0),
            (json!({"memory_ids": {"in": [memory["id"]]}}), 1),
        ] {
            let filters = json!({"AND": [{"user_id": "ana"}, filter]});
            assert_eq!(client.all(filters.clone()).await["count"], count, "{filters}");
            assert_eq!(client.finds("acme", filters.clone()).await.len(), count, "{filters}");
        }

        let kind = json!({"messages": [{"role": "user", "content": "User likes tea"}], "user_id": "ana", "infer": false, "kind": "preference"});
        client.hosted(Method::POST, "/memories", Some(kind.clone())).await.ok(StatusCode::OK);
        assert_eq!(mia.waiting("ana").await[0]["kind"], "preference");
        let mut unknown = kind;
        unknown["kind"] = json!("gossip");
        assert!(told(&client.post("/memories", unknown).await, 422).starts_with("/kind: this agent keeps: "));
        let long = client.post("/memories", json!({"messages": [{"role": "user", "content": "x".repeat(2_001)}], "user_id": "ana", "infer": false})).await;
        assert!(told(&long, 422).starts_with("/messages/0/content: "), "{}", long.text);
    }
}

story! {
    // F13
    async fn an_agent_proposes_changes_and_a_person_makes_them(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let person = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&person).await;
        let (client, decides) = (Mem0::of(&agent), Mem0::of(&mia));
        client.adds("ana", "User lives in Oslo").await;
        approve_all(&mia, "support").await;
        let memory = client.all(json!({"user_id": "ana"})).await["results"][0].clone();
        let path = format!("/v1/memories/{}/", id(&memory));

        let change = json!({"text": "User lives in Bergen"});
        let answer = client.call(Method::PUT, &path, Some(change.clone())).await.ok(StatusCode::OK);
        assert_eq!((&answer["status"], &answer["event"], &answer["id"]), (&json!("PENDING"), &json!("PENDING"), &memory["id"]));
        let waiting = mia.get(&format!("/candidates/{}", answer["candidate"].as_str().unwrap())).await.ok(StatusCode::OK);
        assert_eq!((&waiting["action"], &waiting["target"], &waiting["content"]), (&json!("update"), &memory["id"], &change["text"]));
        assert_eq!(client.get(&path).await.ok(StatusCode::OK), memory, "it stays as it is");
        let again = client.hosted(Method::PUT, &format!("/memories/{}", id(&memory)), Some(json!({"data": "User lives in Bergen"}))).await;
        assert_eq!(again.ok(StatusCode::OK)["candidate"], answer["candidate"]);

        let bare = client.call(Method::PUT, &path, Some(json!({"metadata": {"a": 1}}))).await;
        assert!(told(&bare, 422).starts_with("/text: "), "{}", bare.text);
        let end = json!({"text": "User lives in Oslo", "expiration_date": "2999-01-01"});
        let ends = client.call(Method::PUT, &path, Some(end.clone())).await;
        assert!(told(&ends, 422).starts_with("/expiration_date: "), "{}", ends.text);

        let gone = client.call(Method::DELETE, &path, None).await.ok(StatusCode::OK);
        let waiting = mia.get(&format!("/candidates/{}", gone["candidate"].as_str().unwrap())).await.ok(StatusCode::OK);
        assert_eq!((&gone["status"], &waiting["action"]), (&json!("PENDING"), &json!("retire")));
        client.get(&path).await.ok(StatusCode::OK);

        // The same calls with the key of a person who decides.
        let edited = decides.call(Method::PUT, &path, Some(end)).await.ok(StatusCode::OK);
        assert_eq!((&edited["memory"], &edited["expiration_date"]), (&json!("User lives in Oslo"), &json!("2999-01-01")));
        let never = json!({"text": "User lives in Tromsø", "expiration_date": null});
        let edited = decides.call(Method::PUT, &path, Some(never)).await.ok(StatusCode::OK);
        assert_eq!(edited["expiration_date"], Value::Null);
        assert_eq!(client.get(&path).await.ok(StatusCode::OK)["memory"], "User lives in Tromsø");
        let events = |history: &Value| -> Vec<String> {
            let steps = history.as_array().unwrap().iter();
            steps.map(|step| step["event"].as_str().unwrap().to_owned()).collect()
        };
        let history = client.get(&format!("{path}history/")).await.ok(StatusCode::OK);
        assert_eq!(events(&history), ["ADD", "UPDATE", "UPDATE"]);
        assert_eq!((&history[2]["old_memory"], &history[2]["new_memory"]), (&json!("User lives in Oslo"), &json!("User lives in Tromsø")));

        let deleted = decides.call(Method::DELETE, &path, None).await.ok(StatusCode::OK);
        assert_eq!((&deleted["status"], &deleted["event"]), (&json!("SUCCEEDED"), &json!("DELETE")));
        for reader in [&client, &decides] {
            told(&reader.get(&path).await, 404);
        }
        assert_eq!(client.all(json!({"user_id": "ana"})).await["count"], 0);
        told(&client.get(&format!("{path}history/")).await, 404);
        let history = decides.get(&format!("{path}history/")).await.ok(StatusCode::OK);
        assert_eq!(events(&history).last().unwrap(), "DELETE");

        // What comes to nothing is no success, unless the memory is so already.
        for words in ["User owns a kayak", "User keeps bees"] {
            client.adds("cy", words).await;
            approve_all_of(&mia, "cy").await;
        }
        let all = client.all(json!({"user_id": "cy"})).await;
        let kayak = rows(&all).into_iter().find(|one| one["memory"] == "User owns a kayak").unwrap();
        let path = format!("/v1/memories/{}/", id(&kayak));
        for (change, status, reason) in [
            (json!({"text": "User owns a kayak"}), "SUCCEEDED", "known"),
            (json!({"text": "User owns a kayak", "metadata": {}}), "SUCCEEDED", "known"),
            (json!({"text": "User owns a kayak", "metadata": {"since": 2024}}), "FAILED", "metadata_alone"),
            (json!({"text": "User keeps bees"}), "FAILED", "said_elsewhere"),
        ] {
            let answer = client.call(Method::PUT, &path, Some(change.clone())).await.ok(StatusCode::OK);
            assert_eq!((&answer["status"], &answer["event"], &answer["reason"]), (&json!(status), &json!("NONE"), &json!(reason)), "{change}");
        }
        assert_eq!((mia.waiting("cy").await.len(), client.get(&path).await.ok(StatusCode::OK)), (0, kayak));

        // A person without the scope only proposes, too.
        let proposes = [domain::key::KeyScope::CandidatesWrite, domain::key::KeyScope::MemoriesRead];
        let narrow = Mem0::of(&house.key(Some(&support), Some(&person), &proposes).await);
        client.adds("bo", "User plays chess").await;
        approve_all_of(&mia, "bo").await;
        let bo = narrow.all(json!({"user_id": "bo"})).await["results"][0].clone();
        let waits = narrow.call(Method::DELETE, &format!("/v1/memories/{}/", id(&bo)), None).await.ok(StatusCode::OK);
        assert_eq!(waits["status"], "PENDING");
    }
}

/// Approves what waits about one user.
async fn approve_all_of(mia: &Api<'_>, user: &str) {
    for candidate in mia.waiting(user).await {
        let path = format!("/candidates/{}/approve", id(&candidate));
        mia.post(&path, json!({})).await.ok(StatusCode::OK);
    }
}

story! {
    // F13
    async fn deleting_all_of_a_user_is_as_many_proposals(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let (client, decides) = (Mem0::of(&agent), Mem0::of(&mia));
        for (user, words) in [("ana", "User lives in Oslo"), ("ana", "User plays chess"), ("bo", "User speaks Finnish")] {
            client.adds(user, words).await;
        }
        approve_all(&mia, "support").await;
        let delete = |client: &Mem0<'_>, path: &'static str| {
            let client = Mem0 { house, key: client.key.clone() };
            async move { client.call(Method::DELETE, path, None).await }
        };
        assert!(told(&delete(&client, "/v1/memories/").await, 422).starts_with("/user_id: "));
        assert!(told(&delete(&client, "/v1/memories/?user_id=ana&category=x").await, 422).starts_with("/category: "));
        let first = delete(&client, "/v1/memories/?user_id=ana").await.ok(StatusCode::OK);
        assert_eq!((&first["status"], &first["waiting"], &first["deleted"]), (&json!("PENDING"), &json!(2), &json!(0)));
        let again = delete(&client, "/memories?user_id=ana").await.ok(StatusCode::OK);
        assert_eq!(again["waiting"], 2);
        assert_eq!(mia.waiting("ana").await.len(), 2, "each waits once");
        assert_eq!(client.all(json!({"user_id": "ana"})).await["count"], 2);

        assert!(told(&delete(&decides, "/v1/memories/?user_id=ana").await, 422).starts_with("/agent_id: "));
        let done = delete(&decides, "/v1/memories/?user_id=ana&agent_id=support").await.ok(StatusCode::OK);
        assert_eq!((&done["status"], &done["deleted"]), (&json!("SUCCEEDED"), &json!(2)));
        assert_eq!(client.all(json!({"user_id": "ana"})).await["count"], 0);
        assert_eq!(client.all(json!({"user_id": "bo"})).await["count"], 1);
        assert_eq!(delete(&client, "/v1/memories/?user_id=ana").await.ok(StatusCode::OK)["status"], "SUCCEEDED");
    }
}

story! {
    // F13
    async fn what_one_agent_has_does_not_exist_for_a_client_of_another(house: &House) {
        let (support, sales) = (house.agent("support").await, house.agent("sales").await);
        let (support_key, sales_key) = (house.agent_key(&support).await, house.agent_key(&sales).await);
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let (ours, theirs) = (Mem0::of(&support_key), Mem0::of(&sales_key));
        ours.adds("ana", "User lives in Oslo").await;
        approve_all(&mia, "support").await;
        let memory = ours.all(json!({"user_id": "ana"})).await["results"][0].clone();
        let said = support_key.says("ana", "I prefer code examples in Python rather than pseudocode").await;

        let unknown = "mem_00000000000000000000000000";
        for (method, path) in [
            (Method::GET, "/v1/memories/{id}/"),
            (Method::GET, "/v1/memories/{id}/history/"),
            (Method::PUT, "/v1/memories/{id}/"),
            (Method::DELETE, "/v1/memories/{id}/"),
            (Method::GET, "/memories/{id}"),
        ] {
            let body = (method == Method::PUT).then(|| json!({"text": "User lives in Bergen"}));
            let there = theirs.call(method.clone(), &path.replace("{id}", id(&memory)), body.clone()).await;
            let never = theirs.call(method.clone(), &path.replace("{id}", unknown), body).await;
            assert_eq!(told(&there, 404), told(&never, 404), "{method} {path}");
        }
        told(&theirs.get(&format!("/v1/event/{}/", id(&said))).await, 404);
        assert_eq!(theirs.all(json!({"user_id": "ana"})).await["count"], 0);
        assert!(theirs.finds("oslo", json!({"user_id": "ana"})).await.is_empty());

        // An agent_id chooses nothing but the key's own.
        for named in ["support", "nobody", "Not a name!"] {
            let foreign = json!({"filters": {"user_id": "ana", "agent_id": named}});
            told(&theirs.post("/v3/memories/", foreign).await, 404);
            let foreign = json!({"messages": [{"role": "user", "content": "User lives in Rome"}], "user_id": "ana", "agent_id": named, "infer": false});
            told(&theirs.post("/v3/memories/add/", foreign).await, 404);
        }
        let own = json!({"AND": [{"user_id": "ana"}, {"agent_id": "support"}]});
        assert_eq!(ours.all(own.clone()).await["count"], 1);
        assert_eq!(Mem0::of(&mia).all(own).await["count"], 1);
        let mine = mia.get("/candidates?agent=sales").await.ok(StatusCode::OK);
        assert_eq!(mine["data"], json!([]), "nothing was proposed to either");

        // What one app has the other has not.
        let of_app = json!({"messages": [{"role": "user", "content": "User sails"}], "user_id": "ana", "app_id": "boats", "infer": false});
        ours.post("/v3/memories/add/", of_app).await.ok(StatusCode::OK);
        approve_all(&mia, "support").await;
        let boats = ours.all(json!({"user_id": "ana", "app_id": "boats"})).await;
        assert_eq!((&boats["count"], &boats["results"][0]["user_id"], &boats["results"][0]["app_id"]), (&json!(1), &json!("ana"), &json!("boats")));
        let plain = ours.all(json!({"user_id": "ana"})).await;
        assert!(!plain.to_string().contains("sails"), "{plain}");
        assert_eq!(ours.all(json!({"user_id": "ana", "app_id": "cars"})).await["count"], 0);
    }
}

story! {
    // F13
    async fn odd_user_ids_travel_unchanged(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let client = Mem0::of(&agent);
        let users = ["x\" or \"1\"=\"1", "a:b/../c", "%", "🙂 山本ゆき", "*x*"];
        for user in users {
            client.adds(user, "User lives in Oslo").await;
        }
        approve_all(&mia, "support").await;
        for user in users {
            let all = client.all(json!({"user_id": user})).await;
            assert_eq!((&all["count"], &all["results"][0]["user_id"]), (&json!(1), &json!(user)), "{user}");
            let found = client.finds("oslo", json!({"OR": [{"user_id": user}]})).await;
            assert_eq!((found.len(), &found[0]["user_id"]), (1, &json!(user)), "{user}");
            let query: String = form_urlencoded::Serializer::new(String::new()).append_pair("user_id", user).finish();
            let hosted = client.hosted(Method::GET, &format!("/memories?{query}&page_size=1"), None).await.ok(StatusCode::OK);
            assert_eq!((&hosted["count"], &hosted["results"][0]["user_id"]), (&json!(1), &json!(user)), "{user}");
            let deleted = client.call(Method::DELETE, &format!("/v1/memories/?{query}"), None).await.ok(StatusCode::OK);
            assert_eq!(deleted["waiting"], 1, "{user}");
        }
        told(&client.post("/v3/memories/", json!({"filters": {"user_id": "usr_x"}})).await, 422);
    }
}

story! {
    // F13
    async fn a_refusal_is_a_sentence_where_the_client_looks_for_it(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let client = Mem0::of(&agent);
        for (filters, words) in [
            (json!({"user_id": "*"}), "exactly one user_id"),
            (json!({"OR": [{"user_id": "ana"}, {"user_id": "bo"}]}), "cannot stand inside OR or NOT"),
            (json!({"user_id": "ana", "colour": "red"}), "what can be asked for"),
            (json!({"user_id": "ana", "created_at": {"gte": "yesterday"}}), "2026-12-01"),
            (json!({"agent_id": "support"}), "a user_id is needed"),
        ] {
            for path in ["/v3/memories/", "/v3/memories/search/"] {
                let refused = client.post(path, json!({"query": "tea", "filters": filters})).await;
                let detail = told(&refused, 422);
                assert!(detail.contains(words), "{detail}");
            }
        }
        let forever = json!({"messages": [{"role": "user", "content": "hi"}], "user_id": "ana", "expiration_date": "2030-01-01"});
        assert!(told(&client.post("/v3/memories/add/", forever).await, 422).starts_with("/expiration_date: "));
        told(&client.post("/v3/memories/?page=0", json!({"filters": {"user_id": "ana"}})).await, 422);
        told(&client.post("/v3/memories/search/", json!({"query": " ", "filters": {"user_id": "ana"}})).await, 422);
        let lenient = json!({"query": "tea", "filters": {"user_id": "ana"}, "rerank": true});
        let lenient = client.post("/v3/memories/search/", lenient).await.ok(StatusCode::OK);
        assert_eq!(lenient["warnings"], json!(["unknown field: rerank"]));

        let unknown = Mem0 { house, key: domain::key::ApiKey::new(&engine::OsEntropy).reveal().to_owned() };
        assert!(told(&unknown.get("/v1/ping/").await, 401).contains("not valid"));
        let nobody = unknown.send(unknown.at(Method::GET, "/v1/ping/"), None).await;
        assert!(told(&nobody, 401).starts_with("Send a key"));
        assert!(told(&client.get("/v1/entities/").await, 403).contains("audit:read"));
        for (method, path) in [(Method::POST, "/reset"), (Method::DELETE, "/v2/entities/user/ana/"), (Method::GET, "/nothing")] {
            let body = (method == Method::POST).then(|| json!({}));
            assert!(told(&client.call(method, path, body).await, 404).contains("COMPAT.md"));
        }
        told(&client.call(Method::PATCH, "/memories", None).await, 405);
        let large = json!({"messages": [{"role": "user", "content": "x".repeat(2 * 1024 * 1024)}], "user_id": "ana"});
        told(&client.post("/v3/memories/add/", large).await, 413);
        let broken = client.at(Method::POST, "/v3/memories/add/").header("authorization", format!("Token {}", client.key)).header("content-type", "application/json").body("{");
        told(&client.send(broken, None).await, 400);
        let parts = json!({"messages": [{"role": "user", "content": 5}], "user_id": "ana"});
        assert!(told(&client.post("/v3/memories/add/", parts).await, 422).contains("a list of parts"));

        let users = Mem0::of(&mia).get("/v1/entities/").await.ok(StatusCode::OK);
        assert_eq!(users["results"], json!([]), "nothing was stored");
        client.adds("ana", "User lives in Oslo").await;
        let users = Mem0::of(&mia).get("/v1/entities/").await.ok(StatusCode::OK);
        let ana = &users["results"][0];
        assert_eq!((&ana["type"], &ana["name"], &ana["total_memories"]), (&json!("user"), &json!("ana"), &json!(0)));
    }
}

story! {
    // F13
    async fn a_parts_message_and_a_repeated_call_are_taken_once(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let client = Mem0::of(&agent);
        let send = |body: Value| {
            let request = client.at(Method::POST, "/v3/memories/add/").header("authorization", format!("Token {}", client.key));
            client.send(request.header("idempotency-key", "k1"), Some(body))
        };
        let parts = json!([{"type": "text", "text": "User works at Acme"}, {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]);
        let body = json!({"messages": [{"role": "user", "content": parts}], "user_id": "ana", "infer": false});
        let first = send(body.clone()).await;
        assert_eq!(first.ok(StatusCode::OK)["warnings"], json!(["only text is read: messages.0.content"]));
        assert_eq!(first.json()["results"][0]["memory"], "User works at Acme");
        let again = send(body.clone()).await;
        assert_eq!((again.text.as_str(), again.header("idempotency-replayed").as_str()), (first.text.as_str(), "true"));
        let mut other = body;
        other["user_id"] = json!("bo");
        told(&send(other).await, 422);

        mia.call(Method::PATCH, "/agents/support", &[("if-match", "*")], Some(json!({"learn": false}))).await.ok(StatusCode::OK);
        let off = client.adds("cy", "User lives in Rome").await;
        assert_eq!((&off["status"], &off["results"][0]["event"], &off["results"][0]["reason"]), (&json!("SUCCEEDED"), &json!("NONE"), &json!("memory_off")));
        let body = json!({"messages": [{"role": "user", "content": "I live in Rome"}], "user_id": "cy"});
        let off = client.post("/v3/memories/add/", body).await.ok(StatusCode::OK);
        assert_eq!((&off["status"], off["message"].as_str().unwrap().contains("does not learn")), (&json!("SUCCEEDED"), true));
        assert_eq!(mia.get("/users?user_id=cy").await.ok(StatusCode::OK)["data"], json!([]));
    }
}

story! {
    // F13, A1
    async fn a_deletion_waits_where_nothing_is_learnt_and_what_stays_is_told(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let client = Mem0::of(&agent);
        for words in ["User lives in Oslo", "User plays chess", "ユーザーは寿司が好きです"] {
            client.adds("ana", words).await;
        }
        approve_all(&mia, "support").await;
        // Neither that the agent learns no more nor that the kind is off keeps anybody from being forgotten.
        mia.call(Method::PATCH, "/agents/support/kinds/fact", &[("if-match", "*")], Some(json!({"enabled": false}))).await.ok(StatusCode::OK);
        mia.call(Method::PATCH, "/agents/support", &[("if-match", "*")], Some(json!({"learn": false}))).await.ok(StatusCode::OK);
        let all = client.all(json!({"user_id": "ana"})).await;
        let path = format!("/v1/memories/{}/", id(&all["results"][0]));
        let one = client.call(Method::DELETE, &path, None).await.ok(StatusCode::OK);
        assert_eq!((&one["status"], one.get("reason")), (&json!("PENDING"), None));
        let every = client.call(Method::DELETE, "/v1/memories/?user_id=ana", None).await.ok(StatusCode::OK);
        assert_eq!((&every["status"], &every["waiting"], every.get("skipped")), (&json!("PENDING"), &json!(3), None));

        // A change is learning: nothing comes of it, and that is no success.
        let update = client.call(Method::PUT, &path, Some(json!({"text": "User lives in Rome"}))).await.ok(StatusCode::OK);
        assert_eq!((&update["status"], &update["event"], &update["reason"]), (&json!("FAILED"), &json!("NONE"), &json!("memory_off")));
        assert!(update["message"].as_str().unwrap().contains("does not learn"), "{update}");

        // One that a reviewer may not touch keeps none of the others.
        let japanese = Grant { languages: vec!["ja".to_owned()], ..Grant::everywhere(RoleName::Reviewer) };
        let lin = house.person_with("Lin", vec![japanese]).await;
        let lin = Mem0::of(&house.person_key(&lin).await);
        let some = lin.call(Method::DELETE, "/v1/memories/?user_id=ana&agent_id=support", None).await.ok(StatusCode::OK);
        assert_eq!((&some["status"], &some["deleted"], &some["skipped"]), (&json!("FAILED"), &json!(1), &json!({"language_not_yours": 2})));
        assert_eq!(client.all(json!({"user_id": "ana"})).await["count"], 2);
    }
}

story! {
    // F13
    async fn turns_of_other_services_are_read_and_those_without_words_are_left_out(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let client = Mem0::of(&agent);
        let turns = json!([
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": "I prefer code examples in Python rather than pseudocode"},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function"}]},
            {"role": "function", "content": "saved"},
            {"role": "narrator", "content": "They smile."},
        ]);
        let said = [
            "unknown field: messages.2.tool_calls",
            "nothing to read: messages.2.content",
            "unknown role, read as tool: messages.4.role",
        ];
        let read = client.post("/v3/memories/add/", json!({"messages": turns, "user_id": "ana"})).await.ok(StatusCode::OK);
        assert_eq!((&read["status"], &read["warnings"]), (&json!("PENDING"), &json!(said)));
        agent.finished(read["event_id"].as_str().unwrap()).await;
        let waiting = mia.waiting("ana").await;
        assert_eq!(waiting.len(), 1, "only the person's own words: {waiting:?}");
        let candidate = mia.get(&format!("/candidates/{}", id(&waiting[0]))).await.ok(StatusCode::OK);
        let roles: Vec<&Value> = candidate["transcripts"][0]["turns"].as_array().unwrap().iter().map(|turn| &turn["role"]).collect();
        assert_eq!(roles, ["system", "user", "tool", "tool"]);

        let proposed = client.post("/memories", json!({"messages": turns, "user_id": "bo", "infer": false})).await.ok(StatusCode::OK);
        let words: Vec<Value> = rows(&proposed).into_iter().map(|row| row["memory"].clone()).collect();
        assert_eq!(words, [json!("I prefer code examples in Python rather than pseudocode"), json!("saved"), json!("They smile.")]);
        assert_eq!(proposed["warnings"], json!(said));

        // A fault is told by the place that it has in the call.
        for infer in [true, false] {
            let long = json!([{"role": "assistant", "content": null}, {"role": "user", "content": "x".repeat(40_000)}]);
            let refused = client.post("/v3/memories/add/", json!({"messages": long, "user_id": "ana", "infer": infer})).await;
            assert!(told(&refused, 422).starts_with("/messages/1/content: "), "{}", refused.text);
        }
    }
}

story! {
    // F13
    async fn what_a_parameter_asks_for_is_done_or_refused_and_never_passed_over(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let client = Mem0::of(&agent);
        for words in ["User lives in Oslo", "User plays chess"] {
            client.adds("ana", words).await;
        }
        approve_all(&mia, "support").await;
        let hosted = async |rest: &str| client.hosted(Method::GET, &format!("/memories?user_id=ana{rest}"), None).await;
        for (rest, count, warned) in [
            ("&show_expired=false", 2, false),
            ("&show_expired=False&top_k=1000", 2, true),
            ("&top_k=1", 1, false),
            ("&limit=0", 1, false),
        ] {
            let list = hosted(rest).await.ok(StatusCode::OK);
            assert_eq!((rows(&list).len(), list.get("warnings").is_some()), (count, warned), "{rest}: {list}");
        }
        assert!(told(&hosted("&show_expired=true").await, 422).starts_with("/show_expired: "));
        assert!(told(&hosted("&show_expired=perhaps").await, 422).starts_with("/show_expired: "));
        assert!(told(&hosted("&page_size=1000").await, 422).starts_with("/page_size: "));

        let memory = client.all(json!({"user_id": "ana"})).await["results"][0].clone();
        let path = format!("/v1/memories/{}/", id(&memory));
        for (query, at) in [("delete_linked=true", "/delete_linked: "), ("delete_linked=True", "/delete_linked: "), ("cascade=true", "/cascade: ")] {
            let refused = client.call(Method::DELETE, &format!("{path}?{query}"), None).await;
            assert!(told(&refused, 422).starts_with(at), "{}", refused.text);
        }
        assert!(mia.waiting("ana").await.is_empty(), "nothing was proposed");
        let alone = client.call(Method::DELETE, &format!("{path}?delete_linked=false"), None).await.ok(StatusCode::OK);
        assert_eq!(alone["status"], "PENDING");
    }
}

story! {
    // F13
    async fn a_time_that_is_wrong_is_told_where_it_was_given(house: &House) {
        let support = house.agent("support").await;
        let client = Mem0::of(&house.agent_key(&support).await);
        for name in ["start_date", "end_date"] {
            let body = json!({"filters": {"user_id": "ana"}, name: "soon"});
            let refused = client.post("/v3/memories/", body).await;
            assert!(told(&refused, 422).starts_with(&format!("/{name}: ")), "{}", refused.text);
        }
    }
}

store::both! {
    // F13
    async fn a_client_that_asks_too_often_is_told_to_wait(db: &TestDb) {
        let mut config = settings();
        config.limits.requests_per_second = 1.try_into().unwrap();
        config.limits.burst = 1.try_into().unwrap();
        let house = House::with(db, engine::Extractors::builtin(), config).await;
        {
            let support = house.agent("support").await;
            let client = Mem0::of(&house.agent_key(&support).await);
            client.get("/v1/ping/").await.ok(StatusCode::OK);
            let refused = client.get("/v1/ping/").await;
            told(&refused, 429);
            assert_eq!(refused.header("retry-after"), "1");
        }
        house.close().await;
    }
}
