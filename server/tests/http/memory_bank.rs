//! The surface for clients of Memory Bank: paths and bodies as `vertexai.Client` sends them, which mixes both spellings of names.

use domain::{
    key::KeyScope,
    permission::{Grant, RoleName},
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use url::form_urlencoded;

use crate::house::{Answer, Api, House, settings, story};
use store::testing::TestDb;

/// A client of Memory Bank with one of our keys.
struct Bank<'a> {
    house: &'a House,
    key: String,
    parent: String,
}

impl<'a> Bank<'a> {
    fn of(api: &Api<'a>, engine: &str) -> Self {
        Self {
            house: api.house,
            key: api.key.clone(),
            parent: format!("projects/p-1/locations/eu/reasoningEngines/{engine}"),
        }
    }

    fn at(&self, method: Method, name: &str) -> reqwest::RequestBuilder {
        let url = format!("{}/v1beta1/{name}", self.house.url);
        self.house.http.request(method, url)
    }

    /// A call about something by its whole name.
    async fn named(&self, method: Method, name: &str, body: Option<Value>) -> Answer {
        let request = self.at(method, name).bearer_auth(&self.key);
        send(request, body).await
    }

    async fn get(&self, name: &str) -> Answer {
        self.named(Method::GET, name, None).await
    }

    /// A call about the memories of the agent: `""`, `"?filter=…"`, `":generate"`.
    async fn memories(&self, method: Method, rest: &str, body: Option<Value>) -> Answer {
        let name = format!("{}/memories{rest}", self.parent);
        self.named(method, &name, body).await
    }

    async fn post(&self, rest: &str, body: Value) -> Answer {
        self.memories(Method::POST, rest, Some(body)).await
    }

    async fn creates(&self, scope: Value, fact: &str, metadata: Value) -> Value {
        let body = json!({"fact": fact, "scope": scope, "metadata": metadata});
        self.post("", body).await.ok(StatusCode::OK)
    }

    /// All that the client's `list` finds with a filter.
    async fn list(&self, filter: &str) -> Vec<Value> {
        let query: String = form_urlencoded::Serializer::new(String::new())
            .append_pair("filter", filter)
            .finish();
        let page = self.memories(Method::GET, &format!("?{query}"), None).await;
        rows(&page.ok(StatusCode::OK), "memories")
    }

    async fn retrieve(&self, body: Value) -> Vec<Value> {
        let found = self.post(":retrieve", body).await.ok(StatusCode::OK);
        rows(&found, "retrievedMemories")
    }
}

async fn send(request: reqwest::RequestBuilder, body: Option<Value>) -> Answer {
    let request = match body {
        Some(body) => request.json(&body),
        None => request,
    };
    Answer::of(request.send().await.unwrap()).await
}

fn rows(answer: &Value, of: &str) -> Vec<Value> {
    answer[of].as_array().unwrap().clone()
}

fn name(value: &Value) -> &str {
    value["name"].as_str().unwrap()
}

/// What a name ends in.
fn id(value: &Value) -> &str {
    name(value).rsplit('/').next().unwrap()
}

/// How far an operation is, in our words.
fn state(operation: &Value) -> &str {
    operation["metadata"]["keepsake"]["state"].as_str().unwrap()
}

/// The sentence of a refusal, which had to have this status in HTTP and by name.
#[track_caller]
fn refused(answer: &Answer, http: u16, status: &str) -> String {
    assert_eq!(answer.status, http, "{}", answer.text);
    assert_eq!(answer.header("content-type"), "application/json");
    let error = &answer.json()["error"];
    assert_eq!(
        (&error["code"], &error["status"]),
        (&json!(http), &json!(status)),
        "{error}"
    );
    let info = &error["details"][0];
    assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
    assert_eq!(info["metadata"]["requestId"], answer.header("x-request-id"));
    assert!(
        info["reason"]
            .as_str()
            .is_some_and(|reason| !reason.is_empty()),
        "{error}"
    );
    error["message"].as_str().unwrap().to_owned()
}

async fn waiting(mia: &Api<'_>) -> Vec<Value> {
    let list = mia.get("/candidates?status=pending&limit=200").await;
    rows(&list.ok(StatusCode::OK), "data")
}

async fn approve(mia: &Api<'_>, candidate: &str) {
    let path = format!("/candidates/{candidate}/approve");
    mia.post(&path, json!({})).await.ok(StatusCode::OK);
}

async fn approve_all(mia: &Api<'_>) {
    for candidate in waiting(mia).await {
        approve(mia, candidate["id"].as_str().unwrap()).await;
    }
}

fn ana() -> Value {
    json!({"user_id": "ana"})
}

/// The events of what a user says.
fn said(words: &str) -> Value {
    json!({"events": [{"content": {"role": "user", "parts": [{"text": words}]}}]})
}

story! {
    // F13
    async fn what_is_created_waits_under_the_name_that_it_keeps(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let bank = Bank::of(&agent, "support");
        let tea = json!({
            "fact": "User likes green tea", "scope": ana(), "displayName": "Tea", "colour": "green",
            "topics": [{"managed_memory_topic": "USER_PREFERENCES"}], "metadata": {"source": {"string_value": "chat"}, "sure": {"boolValue": true}},
        });
        let created = bank.post("", tea.clone()).await.ok(StatusCode::OK);
        assert_eq!((&created["done"], state(&created), created.get("name")), (&json!(true), "PENDING", None));
        assert_eq!(created["metadata"]["keepsake"]["warnings"], json!(["unknown field: colour", "not kept: displayName"]));
        let waits = created["response"].clone();
        assert_eq!(waits["@type"], "type.googleapis.com/google.cloud.aiplatform.v1beta1.Memory");
        assert!(name(&waits).starts_with(&format!("{}/memories/cand_", bank.parent)), "{waits}");

        // As the client does, which looks it up at once.
        let looked_up = bank.get(name(&waits)).await.ok(StatusCode::OK);
        assert_eq!((&looked_up["name"], &looked_up["scope"], looked_up.get("fact")), (&waits["name"], &ana(), None));
        assert!(looked_up["description"].as_str().unwrap().contains("Waits for a person"));
        for nothing in [&looked_up, &created] {
            let text = nothing.to_string();
            assert!(!text.contains("green tea") && !text.contains("\"chat\"") && !text.contains("PREFERENCES"), "{text}");
        }
        assert!(bank.list("").await.is_empty());
        assert!(bank.retrieve(json!({"scope": ana()})).await.is_empty());
        let query = json!({"scope": ana(), "similaritySearchParams": {"search_query": "tea"}});
        assert!(bank.retrieve(query.clone()).await.is_empty());
        let revisions = format!("{}/revisions", name(&waits));
        refused(&bank.get(&revisions).await, 404, "NOT_FOUND");
        let change = json!({"fact": "User likes coffee", "scope": ana()});
        refused(&bank.named(Method::PATCH, name(&waits), Some(change)).await, 404, "NOT_FOUND");
        refused(&bank.named(Method::DELETE, name(&waits), None).await, 404, "NOT_FOUND");
        let again = bank.post("", tea.clone()).await.ok(StatusCode::OK);
        assert_eq!((&again["response"]["name"], state(&again)), (&waits["name"], "PENDING"));

        approve(&mia, id(&waits)).await;
        let memory = bank.get(name(&waits)).await.ok(StatusCode::OK);
        assert!(id(&memory).starts_with("mem_"), "{memory}");
        assert_eq!((&memory["fact"], &memory["scope"]), (&json!("User likes green tea"), &ana()));
        assert_eq!(memory["topics"], json!([{"managedMemoryTopic": "USER_PREFERENCES"}]));
        assert_eq!(memory["metadata"], json!({"source": {"stringValue": "chat"}, "sure": {"boolValue": true}}));
        assert_eq!(memory["memoryType"], "NATURAL_LANGUAGE_COLLECTION");
        assert_eq!(bank.get(name(&memory)).await.ok(StatusCode::OK), memory);
        assert_eq!(bank.list("").await, std::slice::from_ref(&memory));
        let found = bank.retrieve(query).await;
        assert_eq!(found[0]["memory"], memory);
        assert!(found[0]["distance"].as_f64().is_some_and(|distance| (0.0..1.0).contains(&distance)), "{found:?}");
        let known = bank.post("", tea).await.ok(StatusCode::OK);
        assert_eq!((state(&known), &known["response"]["name"]), ("UNCHANGED", &memory["name"]));

        let gossip = bank.creates(ana(), "User had soup today", json!({})).await;
        let path = format!("/candidates/{}/reject", id(&gossip["response"]));
        mia.post(&path, json!({"reason": "not_durable"})).await.ok(StatusCode::OK);
        refused(&bank.get(name(&gossip["response"])).await, 404, "NOT_FOUND");
        let suppressed = bank.creates(ana(), "User had soup today", json!({})).await;
        assert_eq!((&suppressed["done"], suppressed.get("response"), &suppressed["error"]["code"]), (&json!(true), None, &json!(9)));
        assert!(suppressed["error"]["message"].as_str().unwrap().contains("rejected"));

        // With nothing but a key, by the short name.
        let short = send(bank.at(Method::GET, "reasoningEngines/support/memories").header("x-goog-api-key", &bank.key), None).await;
        let short = short.ok(StatusCode::OK);
        assert_eq!(name(&short["memories"][0]), format!("reasoningEngines/support/memories/{}", id(&memory)));
    }
}

story! {
    // F13
    async fn what_is_generated_is_read_in_the_background_and_waits(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let bank = Bank::of(&agent, "support");
        let body = json!({
            "scope": ana(), "revisionLabels": {"run": "1"}, "metadata": {"a": {"string_value": "b"}},
            "directContentsSource": {"events": [
                {"content": {"role": "user", "parts": [{"text": "I prefer code examples in Python rather than pseudocode"}, {"inline_data": {"mime_type": "image/png"}}]}},
                {"content": {"role": "model", "parts": [{"text": "Noted!"}]}},
            ]},
        });
        let begun = bank.post(":generate", body.clone()).await.ok(StatusCode::OK);
        assert!(name(&begun).starts_with(&format!("{}/operations/op_", bank.parent)), "{begun}");
        let warnings = begun["metadata"]["keepsake"]["warnings"].to_string();
        for of in ["inline_data", "not kept: revisionLabels", "not kept: metadata"] {
            assert!(warnings.contains(of), "{warnings}");
        }
        agent.finished(id(&begun)).await;
        let done = bank.get(name(&begun)).await.ok(StatusCode::OK);
        assert_eq!((&done["done"], state(&done), &done["name"]), (&json!(true), "PENDING", &begun["name"]));
        let generated = rows(&done["response"], "generatedMemories");
        let named: Vec<_> = generated.iter().map(|one| id(&one["memory"])).collect();
        assert_eq!(json!(named), done["metadata"]["keepsake"]["candidates"]);
        assert!(!done.to_string().contains("Python") && !generated.is_empty(), "{done}");
        for one in &generated {
            assert_eq!(one.get("action"), None, "nothing has been created");
            let waits = bank.get(name(&one["memory"])).await.ok(StatusCode::OK);
            assert_eq!((&waits["scope"], waits.get("fact")), (&ana(), None));
        }
        approve_all(&mia).await;
        let list = bank.list("fact:\"PYTHON\" AND topics.managed_memory_topic:\"USER_PREFERENCES\"").await;
        assert_eq!(list.len(), 1, "{list:?}");

        let direct = json!({"scope": ana(), "metadata": {"a": {"double_value": 1.5}}, "directMemoriesSource": {"direct_memories": [
            {"fact": "User plays chess"}, {"fact": "User likes tea", "topics": [{"managed_memory_topic": "USER_PREFERENCES"}]},
        ]}});
        let given = bank.post(":generate", direct.clone()).await.ok(StatusCode::OK);
        assert_eq!((&given["done"], state(&given), given.get("name")), (&json!(true), "PENDING", None));
        assert_eq!(rows(&given["response"], "generatedMemories").len(), 2);
        let mut waits = waiting(&mia).await;
        waits.retain(|one| one["kind"] != "session_summary");
        let mut kinds: Vec<_> = waits.iter().map(|one| (one["kind"].clone(), one["metadata"].clone())).collect();
        kinds.sort_by_key(|(kind, _)| kind.to_string());
        assert_eq!(kinds, [(json!("fact"), json!({"a": 1.5})), (json!("preference"), json!({"a": 1.5}))]);
        approve_all(&mia).await;
        let known = bank.post(":generate", direct.clone()).await.ok(StatusCode::OK);
        assert_eq!(state(&known), "UNCHANGED");
        assert!(rows(&known["response"], "generatedMemories").iter().all(|one| id(&one["memory"]).starts_with("mem_")));

        let narrow = Bank::of(&house.key(Some(&support), None, &[KeyScope::ConversationsWrite]).await, "support");
        narrow.post(":generate", body.clone()).await.ok(StatusCode::OK);
        assert!(refused(&narrow.post(":generate", direct.clone()).await, 403, "PERMISSION_DENIED").contains("candidates:write"));

        let session = json!({"scope": ana(), "vertexSessionSource": {"session": "projects/p/locations/l/reasoningEngines/support/sessions/1"}});
        assert!(refused(&bank.post(":generate", session).await, 501, "UNIMPLEMENTED").contains("directContentsSource"));
        for (change, field) in [
            (json!({"scope": null}), "scope: "),
            (json!({"scope": {}}), "scope: "),
            (json!({"disableConsolidation": true}), "disableConsolidation: "),
            (json!({"allowedTopics": [{"managedMemoryTopic": "USER_PREFERENCES"}]}), "allowedTopics: "),
            (json!({"disableMemoryRevisions": true}), "disableMemoryRevisions: "),
            (json!({"revision_ttl": "60s"}), "revisionTtl: "),
            (json!({"directMemoriesSource": null}), "directContentsSource: "),
            (json!({"directContentsSource": said("hi")}), "directContentsSource: "),
            (json!({"directMemoriesSource": {"directMemories": []}}), "directMemoriesSource.directMemories: "),
            (json!({"directMemoriesSource": {"directMemories": [{"fact": "User sails"}, {"fact": "x".repeat(2_001)}]}}), "directMemoriesSource.directMemories.1.fact: "),
            (json!({"directMemoriesSource": {"directMemories": [{"fact": "User rows", "topics": [{"customMemoryTopicLabel": "gossip"}]}]}}), "directMemoriesSource.directMemories.0.topics: "),
            (json!({"directMemoriesSource": {"directMemories": [{"fact": "User rows", "topics": [{"managedMemoryTopic": "GOSSIP"}]}]}}), "directMemoriesSource.directMemories.0.topics"),
        ] {
            let mut wrong = direct.clone();
            wrong.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            let message = refused(&bank.post(":generate", wrong).await, 400, "INVALID_ARGUMENT");
            assert!(message.starts_with(field), "{message}");
        }
        let boss = json!({"scope": ana(), "directContentsSource": {"events": [{"content": {"role": "boss", "parts": [{"text": "hi"}]}}]}});
        assert!(refused(&bank.post(":generate", boss).await, 400, "INVALID_ARGUMENT").starts_with("directContentsSource.events.0.content.role: "));

        mia.call(Method::PATCH, "/agents/support", &[("if-match", "*")], Some(json!({"learn": false}))).await.ok(StatusCode::OK);
        let off = bank.post(":generate", body).await.ok(StatusCode::OK);
        assert_eq!((&off["done"], &off["response"]["generatedMemories"], &off["metadata"]["keepsake"]["reason"]), (&json!(true), &json!([]), &json!("memory_off")));
        let off = bank.creates(ana(), "User lives in Rome", json!({})).await;
        assert!(off["error"]["message"].as_str().unwrap().contains("does not learn"), "{off}");
    }
}

story! {
    // F13, C2, D10
    async fn events_of_a_stream_are_one_conversation(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let bank = Bank::of(&agent, "support");
        let event = |id: &str, words: &str| {
            json!({"content": {"role": "user", "parts": [{"text": words}]}, "event_id": id, "event_time": "2026-11-30T09:00:00+00:00"})
        };
        let stream = |events: Value| {
            json!({"scope": ana(), "streamId": "s1", "directContentsSource": {"events": events}, "generationTriggerConfig": {"generation_rule": {"event_count": 50, "idle_duration": "60s"}}})
        };
        let first = event("e1", "I prefer code examples in Python rather than pseudocode");
        let begun = bank.post(":ingestEvents", stream(json!([first]))).await.ok(StatusCode::OK);
        assert_eq!((&begun["done"], state(&begun)), (&json!(false), "READING"));
        assert_eq!(begun["metadata"]["keepsake"]["warnings"], json!(["a setting of the agent: generationTriggerConfig"]));
        let more = bank.post(":ingestEvents", stream(json!([first, event("e2", "Thanks!")]))).await.ok(StatusCode::OK);
        assert_eq!(more["name"], begun["name"], "one conversation, which nobody has read yet");
        let other = bank.post(":ingestEvents", {
            let mut other = stream(json!([event("e1", "I live in Oslo")]));
            other["streamId"] = json!("s2");
            other
        }).await.ok(StatusCode::OK);
        assert_ne!(other["name"], begun["name"]);
        let changed = bank.post(":ingestEvents", stream(json!([event("e1", "I prefer Rust")]))).await;
        refused(&changed, 400, "FAILED_PRECONDITION");
        assert_eq!(waiting(&mia).await, Vec::<Value>::new());

        let flushed = json!({"scope": ana(), "streamId": "s1", "forceFlush": true});
        let flushed = bank.post(":ingestEvents", flushed).await.ok(StatusCode::OK);
        assert_eq!(flushed["name"], begun["name"]);
        let read = agent.finished(id(&flushed)).await;
        assert_eq!(read["state"], "succeeded");
        let done = bank.get(name(&flushed)).await.ok(StatusCode::OK);
        assert_eq!((&done["done"], state(&done)), (&json!(true), "PENDING"));
        assert_eq!(waiting(&mia).await.len(), 1, "what was sent twice is known, and the other stream waits");

        // Without a rule it is read at once, in the stream that has no id.
        let body = json!({"scope": {"user_id": "bo"}, "streamId": "", "directContentsSource": said("I'm the CTO of StartupCorp and we're building a SaaS platform")});
        let at_once = bank.post(":ingestEvents", body).await.ok(StatusCode::OK);
        agent.finished(id(&at_once)).await;
        assert!(!mia.waiting("bo").await.is_empty());

        // What would change how something is kept is refused as by `generate`, and nothing is taken in.
        for (name, spelled, value) in [
            ("revisionTtl", "revision_ttl", json!("3600s")),
            ("revisionExpireTime", "revision_expire_time", json!("2030-01-01T00:00:00Z")),
            ("disableMemoryRevisions", "disable_memory_revisions", json!(true)),
            ("metadataMergeStrategy", "metadata_merge_strategy", json!("MERGE")),
        ] {
            for key in [name, spelled] {
                let mut body = json!({"scope": {"user_id": "cy"}, "directContentsSource": said("I live in Oslo")});
                body[key] = value.clone();
                for verb in [":ingestEvents", ":generate"] {
                    let told = refused(&bank.post(verb, body.clone()).await, 400, "INVALID_ARGUMENT");
                    assert!(told.starts_with(&format!("{name}: ")), "{verb}: {told}");
                }
            }
        }
        assert_eq!(mia.get("/users?user_id=cy").await.ok(StatusCode::OK)["data"], json!([]));
        let labelled = json!({"scope": ana(), "streamId": "s3", "directContentsSource": said("Thanks!"), "disableMemoryRevisions": false,
            "metadata": {"a": {"boolValue": true}}, "revisionLabels": {"b": "c"}});
        let labelled = bank.post(":ingestEvents", labelled).await.ok(StatusCode::OK);
        assert_eq!(labelled["metadata"]["keepsake"]["warnings"], json!(["not kept: metadata", "not kept: revisionLabels"]));

        let nothing = json!({"scope": ana(), "streamId": "s1", "generationTriggerConfig": {"generation_rule": {"event_count": 3}}});
        assert!(refused(&bank.post(":ingestEvents", nothing).await, 400, "INVALID_ARGUMENT").starts_with("directContentsSource.events: "));
        let long = json!({"scope": ana(), "streamId": "x".repeat(257), "directContentsSource": said("hi")});
        assert!(refused(&bank.post(":ingestEvents", long).await, 400, "INVALID_ARGUMENT").starts_with("streamId: "));
        let large = json!({"scope": ana(), "directContentsSource": said(&"x".repeat(40_000))});
        assert!(refused(&bank.post(":ingestEvents", large).await, 400, "INVALID_ARGUMENT").starts_with("directContentsSource.events.0.content: "));
    }
}

/// A memory that a person wrote down, by its name.
async fn remembers(mia: &Api<'_>, bank: &Bank<'_>, content: &str) -> String {
    remembers_as(mia, bank, "fact", content).await
}

async fn remembers_as(mia: &Api<'_>, bank: &Bank<'_>, kind: &str, content: &str) -> String {
    let memory = json!({"scope": ana(), "kind": kind, "content": content});
    let memory = mia
        .post("/memories?agent=support", memory)
        .await
        .ok(StatusCode::CREATED);
    format!(
        "{}/memories/{}",
        bank.parent,
        memory["id"].as_str().unwrap()
    )
}

story! {
    // F13, F2
    async fn an_agent_proposes_changes_and_a_person_makes_them(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let person = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&person).await;
        let (bank, decides) = (Bank::of(&agent, "support"), Bank::of(&mia, "support"));
        let oslo = remembers(&mia, &bank, "User lives in Oslo").await;
        let memory = bank.get(&oslo).await.ok(StatusCode::OK);
        let patch = |mask: &str, body: Value| {
            let name = if mask.is_empty() { oslo.clone() } else { format!("{oslo}?updateMask={mask}") };
            (Method::PATCH, name, Some(body))
        };
        let call = async |bank: &Bank<'_>, (method, name, body): (Method, String, Option<Value>)| {
            bank.named(method, &name, body).await
        };

        let change = json!({"fact": "User lives in Bergen", "scope": ana()});
        let proposed = call(&bank, patch("", change.clone())).await.ok(StatusCode::OK);
        assert_eq!((&proposed["done"], state(&proposed), &proposed["response"]["fact"]), (&json!(true), "PENDING", &memory["fact"]));
        assert_eq!(bank.get(&oslo).await.ok(StatusCode::OK), memory, "it stays as it is");
        let candidate = proposed["metadata"]["keepsake"]["candidates"][0].as_str().unwrap();
        let candidate = mia.get(&format!("/candidates/{candidate}")).await.ok(StatusCode::OK);
        assert_eq!((&candidate["action"], &candidate["content"]), (&json!("update"), &change["fact"]));
        let unchanged = call(&bank, patch("fact", json!({"fact": "User lives in Oslo"}))).await.ok(StatusCode::OK);
        assert_eq!((state(&unchanged), unchanged.get("error"), &unchanged["response"]["fact"]), ("UNCHANGED", None, &memory["fact"]));
        remembers(&mia, &bank, "User keeps bees").await;
        for (change, reason) in [
            (json!({"fact": "User lives in Oslo", "metadata": {"since": {"doubleValue": 2024}}}), "metadata_alone"),
            (json!({"fact": "User keeps bees"}), "said_elsewhere"),
        ] {
            let nothing = call(&bank, patch("", change)).await.ok(StatusCode::OK);
            assert_eq!((state(&nothing), &nothing["error"]["code"], nothing.get("response")), ("UNCHANGED", &json!(9), None), "{nothing}");
            assert_eq!(nothing["metadata"]["keepsake"]["reason"], reason);
        }
        for (mask, body, message) in [
            ("", json!({"fact": "User lives in Rome", "scope": {"user_id": "bo"}}), "scope: "),
            ("scope", json!({"scope": {"user_id": "bo"}}), "updateMask: "),
            ("fact,displayName", json!({"fact": "User lives in Rome"}), "updateMask: "),
            ("fact", json!({}), "fact: "),
            ("metadata", json!({"fact": "User lives in Rome", "metadata": {}}), "fact: "),
            ("", json!({"fact": "User lives in Rome", "ttl": "3600s"}), "expireTime: "),
            ("", json!({"fact": "User lives in Rome", "ttl": "soon"}), "ttl: "),
            ("", json!({"fact": "User lives in Rome", "topics": [{"managedMemoryTopic": "USER_PREFERENCES"}]}), "topics: "),
            ("", json!({"fact": "x".repeat(2_001)}), "fact: "),
        ] {
            let told = refused(&call(&bank, patch(mask, body)).await, 400, "INVALID_ARGUMENT");
            assert!(told.starts_with(message), "{told}");
        }

        let done = call(&decides, patch("fact,metadata", json!({"fact": "User lives in Bergen", "metadata": {"since": {"double_value": 2024}}, "description": "x"}))).await.ok(StatusCode::OK);
        assert_eq!((state(&done), &done["response"]["fact"]), ("DONE", &change["fact"]));
        assert_eq!(done["metadata"]["keepsake"]["warnings"], json!(["not kept: description"]));
        assert_eq!(bank.get(&oslo).await.ok(StatusCode::OK)["metadata"], json!({"since": {"doubleValue": 2024.0}}));
        let ends = call(&decides, patch("ttl", json!({"ttl": "3600s", "fact": "not looked at"}))).await.ok(StatusCode::OK);
        assert!(ends["response"]["expireTime"].is_string() && ends["response"]["fact"] == change["fact"], "{ends}");
        let lasts = call(&decides, patch("expire_time", json!({}))).await.ok(StatusCode::OK);
        assert_eq!(lasts["response"].get("expireTime"), None);

        // D7: every version stays, and one can come back.
        let page = bank.get(&format!("{oslo}/revisions?pageSize=3")).await.ok(StatusCode::OK);
        let token = page["nextPageToken"].as_str().unwrap();
        let last = bank.get(&format!("{oslo}/revisions?pageSize=3&pageToken={token}")).await.ok(StatusCode::OK);
        let mut all = rows(&page, "memoryRevisions");
        all.extend(rows(&last, "memoryRevisions"));
        assert_eq!((all.len(), last.get("nextPageToken")), (4, None));
        assert_eq!(all.iter().map(id).collect::<Vec<_>>(), ["4", "3", "2", "1"]);
        assert_eq!(name(&all[3]), format!("{oslo}/revisions/1"));
        assert_eq!(bank.get(&format!("{oslo}/revisions/1")).await.ok(StatusCode::OK)["fact"], "User lives in Oslo");
        refused(&bank.get(&format!("{oslo}/revisions/9")).await, 404, "NOT_FOUND");
        refused(&bank.get(&format!("{oslo}/revisions?filter=labels.a%3D1")).await, 400, "INVALID_ARGUMENT");
        refused(&bank.get(&format!("{oslo}/revisions?pageToken=x")).await, 400, "INVALID_ARGUMENT");

        let back = |to: &str| (Method::POST, format!("{oslo}:rollback"), Some(json!({"targetRevisionId": to})));
        for unknown in ["9", "4", "x"] {
            for caller in [&bank, &decides] {
                let told = refused(&call(caller, back(unknown)).await, 400, "INVALID_ARGUMENT");
                assert!(told.starts_with("targetRevisionId: "), "{told}");
            }
        }
        let proposed = call(&bank, back("1")).await.ok(StatusCode::OK);
        assert_eq!((state(&proposed), &bank.get(&oslo).await.json()["fact"]), ("PENDING", &change["fact"]));
        let candidate = proposed["metadata"]["keepsake"]["candidates"][0].as_str().unwrap();
        let candidate = mia.get(&format!("/candidates/{candidate}")).await.ok(StatusCode::OK);
        assert_eq!((&candidate["action"], &candidate["content"], &candidate["metadata"]), (&json!("update"), &json!("User lives in Oslo"), &json!({})));
        let done = call(&decides, back("1")).await.ok(StatusCode::OK);
        assert_eq!((state(&done), &done["response"]["@type"]), ("DONE", &json!("type.googleapis.com/google.protobuf.Empty")));
        assert_eq!(bank.get(&oslo).await.ok(StatusCode::OK)["fact"], "User lives in Oslo");
        assert_eq!(rows(&bank.get(&format!("{oslo}/revisions")).await.ok(StatusCode::OK), "memoryRevisions").len(), 5);

        let delete = || (Method::DELETE, oslo.clone(), None);
        let proposed = call(&bank, delete()).await.ok(StatusCode::OK);
        assert_eq!((&proposed["done"], state(&proposed)), (&json!(true), "PENDING"));
        bank.get(&oslo).await.ok(StatusCode::OK);
        let scopes = [KeyScope::CandidatesWrite, KeyScope::MemoriesRead];
        let narrow = Bank::of(&house.key(Some(&support), Some(&person), &scopes).await, "support");
        assert_eq!(state(&call(&narrow, delete()).await.ok(StatusCode::OK)), "PENDING", "who may not decide proposes");
        assert_eq!(state(&call(&decides, delete()).await.ok(StatusCode::OK)), "DONE");
        for caller in [&bank, &decides] {
            for gone in [delete(), patch("", change.clone()), back("1"), (Method::GET, oslo.clone(), None), (Method::GET, format!("{oslo}/revisions"), None)] {
                refused(&call(caller, gone).await, 404, "NOT_FOUND");
            }
        }
        let lacking = Bank::of(&house.key(Some(&support), None, &[KeyScope::CandidatesWrite]).await, "support");
        let chess = remembers(&mia, &bank, "User plays chess").await;
        assert!(refused(&lacking.named(Method::DELETE, &chess, None).await, 403, "PERMISSION_DENIED").contains("memories:read"));
    }
}

story! {
    // F13
    async fn a_purge_counts_first_and_then_proposes_or_retires(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let (bank, decides) = (Bank::of(&agent, "support"), Bank::of(&mia, "support"));
        let chat = json!({"source": {"stringValue": "chat"}});
        for (user, fact, metadata) in [
            ("ana", "User lives in Oslo", &chat),
            ("ana", "User plays chess", &chat),
            ("ana", "User speaks Finnish", &json!({})),
            ("bo", "User likes tea", &chat),
        ] {
            bank.creates(json!({"user_id": user}), fact, metadata.clone()).await;
        }
        approve_all(&mia).await;
        let groups = json!([{"filters": [{"key": "source", "value": {"string_value": "chat"}}]}]);
        let all = json!({"filter": "scope.user_id=ana"});
        let some = json!({"filter": "scope.user_id=\"ana\"", "filterGroups": groups});
        let purge = async |bank: &Bank<'_>, which: &Value, force: bool| {
            let mut body = which.clone();
            body["force"] = json!(force);
            bank.post(":purge", body).await.ok(StatusCode::OK)
        };
        for caller in [&bank, &decides] {
            for (which, count) in [(&all, 3), (&some, 2)] {
                let counted = purge(caller, which, false).await;
                assert_eq!((&counted["done"], &counted["response"]["purgeCount"]), (&json!(true), &json!(count)));
            }
        }
        assert_eq!((bank.list("").await.len(), waiting(&mia).await.len()), (4, 0), "nothing was done or proposed");

        let proposed = purge(&bank, &some, true).await;
        assert_eq!((state(&proposed), &proposed["response"]["purgeCount"]), ("PENDING", &json!(0)));
        assert_eq!(proposed["metadata"]["keepsake"]["candidates"].as_array().unwrap().len(), 2);
        assert_eq!(state(&purge(&bank, &some, true).await), "PENDING");
        assert_eq!((bank.list("").await.len(), waiting(&mia).await.len()), (4, 2), "each waits once");

        let done = purge(&decides, &some, true).await;
        assert_eq!((state(&done), &done["response"]["purgeCount"]), ("DONE", &json!(2)));
        let left = bank.list("scope.user_id=ana").await;
        assert_eq!((left.len(), &left[0]["fact"]), (1, &json!("User speaks Finnish")));
        assert_eq!(bank.list("scope.user_id=bo").await.len(), 1);

        for (body, message) in [
            (json!({}), "filter: say whose"),
            (json!({"filterGroups": groups, "force": true}), "filter: say whose"),
            (json!({"filter": "fact:\"tea\"", "force": true}), "filter: say whose"),
            (json!({"filter": "scope.user_id=ana OR scope.user_id=bo", "force": true}), "filter: "),
            (json!({"filters": "scope.user_id=ana", "force": true}), ""),
        ] {
            let told = refused(&decides.post(":purge", body).await, 400, "INVALID_ARGUMENT");
            assert!(told.starts_with(message), "{told}");
        }

        let once = async |force: bool| {
            let body = json!({"filter": "scope.user_id=bo", "force": force});
            let name = format!("{}/memories:purge", bank.parent);
            let request = bank.at(Method::POST, &name).bearer_auth(&bank.key).header("idempotency-key", "k1");
            send(request, Some(body)).await
        };
        let first = once(true).await;
        first.ok(StatusCode::OK);
        let again = once(true).await;
        assert_eq!((again.text.as_str(), again.header("idempotency-replayed").as_str()), (first.text.as_str(), "true"));
        refused(&once(false).await, 400, "INVALID_ARGUMENT");
    }
}

story! {
    // F13, A1
    async fn what_goes_waits_where_nothing_is_learnt_and_what_stays_is_no_success(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let bank = Bank::of(&agent, "support");
        let oslo = remembers(&mia, &bank, "User lives in Oslo").await;
        remembers(&mia, &bank, "User plays chess").await;
        mia.call(Method::PATCH, &format!("/memories/{}", oslo.rsplit('/').next().unwrap()), &[("if-match", "*")], Some(json!({"content": "User lives in Bergen"}))).await.ok(StatusCode::OK);
        mia.call(Method::PATCH, "/agents/support/kinds/fact", &[("if-match", "*")], Some(json!({"enabled": false}))).await.ok(StatusCode::OK);
        mia.call(Method::PATCH, "/agents/support", &[("if-match", "*")], Some(json!({"learn": false}))).await.ok(StatusCode::OK);

        let gone = bank.named(Method::DELETE, &oslo, None).await.ok(StatusCode::OK);
        assert_eq!((state(&gone), gone.get("error")), ("PENDING", None));
        let purged = bank.post(":purge", json!({"filter": "scope.user_id=ana", "force": true})).await.ok(StatusCode::OK);
        let keepsake = &purged["metadata"]["keepsake"];
        assert_eq!((state(&purged), keepsake["candidates"].as_array().unwrap().len(), keepsake.get("skipped")), ("PENDING", 2, None));

        let patch = bank.named(Method::PATCH, &oslo, Some(json!({"fact": "User lives in Rome"}))).await.ok(StatusCode::OK);
        let back = bank.named(Method::POST, &format!("{oslo}:rollback"), Some(json!({"targetRevisionId": "1"}))).await.ok(StatusCode::OK);
        let direct = bank.post(":generate", json!({"scope": ana(), "directMemoriesSource": {"directMemories": [{"fact": "User sails"}]}})).await.ok(StatusCode::OK);
        for (refused, why) in [(&patch, "reason"), (&back, "reason"), (&direct, "skipped")] {
            assert_eq!((&refused["done"], state(refused), refused.get("response")), (&json!(true), "UNCHANGED", None));
            assert_eq!(refused["error"]["code"], 9, "{refused}");
            assert!(refused["metadata"]["keepsake"][why].to_string().contains("memory_off"), "{refused}");
        }

        // Some of them may not be touched by this reviewer: the others go.
        remembers_as(&mia, &bank, "preference", "ユーザーはお茶が好き").await;
        let japanese = Grant { languages: vec!["ja".to_owned()], ..Grant::everywhere(RoleName::Reviewer) };
        let lin = house.person_with("Lin", vec![japanese]).await;
        let lin = Bank::of(&house.person_key(&lin).await, "support");
        let purge = json!({"filter": "scope.user_id=ana", "force": true});
        let some = lin.post(":purge", purge.clone()).await.ok(StatusCode::OK);
        assert_eq!((state(&some), &some["response"]["purgeCount"]), ("DONE", &json!(1)));
        assert_eq!(some["metadata"]["keepsake"]["skipped"], json!({"language_not_yours": 2}));
        let none = lin.post(":purge", purge).await.ok(StatusCode::OK);
        assert_eq!((&none["error"]["code"], none.get("response")), (&json!(9), None), "{none}");
    }
}

story! {
    // F13, D7
    async fn a_rollback_is_answered_again_and_says_where_it_cannot_be(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let (bank, decides) = (Bank::of(&agent, "support"), Bank::of(&mia, "support"));
        let oslo = remembers(&mia, &bank, "User lives in Oslo").await;
        let id = oslo.rsplit('/').next().unwrap().to_owned();
        let edit = async |edit: Value| {
            mia.call(Method::PATCH, &format!("/memories/{id}"), &[("if-match", "*")], Some(edit)).await.ok(StatusCode::OK)
        };
        edit(json!({"content": "User prefers Oslo", "kind": "preference"})).await;
        let back = async |bank: &Bank<'_>, key: &str| {
            let request = bank.at(Method::POST, &format!("{oslo}:rollback")).bearer_auth(&bank.key);
            let request = request.header("idempotency-key", key);
            send(request, Some(json!({"targetRevisionId": "1"}))).await
        };
        // What comes back comes back as what it was.
        let proposed = back(&bank, "k1").await.ok(StatusCode::OK);
        let candidate = proposed["metadata"]["keepsake"]["candidates"][0].as_str().unwrap();
        let candidate = mia.get(&format!("/candidates/{candidate}")).await.ok(StatusCode::OK);
        assert_eq!((&candidate["kind"], &candidate["content"]), (&json!("fact"), &json!("User lives in Oslo")));

        // Only its metadata was another then: that is no proposal, and no success.
        let kayak = remembers(&mia, &bank, "User owns a kayak").await;
        let since = json!({"metadata": {"since": 2024}});
        mia.call(Method::PATCH, &format!("/memories/{}", kayak.rsplit('/').next().unwrap()), &[("if-match", "*")], Some(since)).await.ok(StatusCode::OK);
        let nothing = bank.named(Method::POST, &format!("{kayak}:rollback"), Some(json!({"targetRevisionId": "1"}))).await.ok(StatusCode::OK);
        assert_eq!((state(&nothing), &nothing["error"]["code"], nothing.get("response")), ("UNCHANGED", &json!(9), None), "{nothing}");
        assert_eq!(nothing["metadata"]["keepsake"]["reason"], "metadata_alone");

        // The rules of its kind have changed since.
        let schema = json!({"type": "object", "properties": {"since": {"type": "string"}}, "required": ["since"]});
        mia.call(Method::PATCH, "/agents/support/kinds/fact", &[("if-match", "*")], Some(json!({"metadata_schema": schema}))).await.ok(StatusCode::OK);
        let told = refused(&back(&bank, "k2").await, 400, "INVALID_ARGUMENT");
        assert!(told.starts_with("targetRevisionId: "), "{told}");

        let done = back(&decides, "k3").await;
        assert_eq!(state(&done.ok(StatusCode::OK)), "DONE");
        decides.named(Method::DELETE, &oslo, None).await.ok(StatusCode::OK);
        let again = back(&decides, "k3").await;
        assert_eq!((again.text.as_str(), again.header("idempotency-replayed").as_str()), (done.text.as_str(), "true"));
    }
}

story! {
    // F13, D9
    async fn a_scope_is_met_exactly_and_travels_unchanged(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let bank = Bank::of(&agent, "support");
        let scopes = [
            ana(),
            json!({"user_id": "ana", "app_name": "boats"}),
            json!({"user_id": "x\" or \"1\"=\"1"}),
            json!({"user_id": "a:b/../c"}),
            json!({"user_id": "%"}),
            json!({"user_id": "🙂 山本ゆき"}),
            json!({"user_id": "*x*\\", "odd key": "' AND \""}),
            json!({"a": "1", "b": "2", "c": "3", "d": "4", "e": "5"}),
        ];
        for (at, scope) in scopes.iter().enumerate() {
            bank.creates(scope.clone(), &format!("User owns boat number {at}"), json!({})).await;
        }
        approve_all(&mia).await;
        assert_eq!(bank.list("").await.len(), scopes.len());
        for (at, scope) in scopes.iter().enumerate() {
            let fact = json!(format!("User owns boat number {at}"));
            let all = bank.retrieve(json!({"scope": scope})).await;
            let found = bank.retrieve(json!({"scope": scope, "similaritySearchParams": {"searchQuery": "boat"}})).await;
            for found in [&all, &found] {
                assert_eq!(found.len(), 1, "{scope}");
                assert_eq!((&found[0]["memory"]["fact"], &found[0]["memory"]["scope"]), (&fact, scope));
            }
            let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
            let pairs = scope.as_object().unwrap().iter();
            let pairs = pairs.map(|(key, value)| format!("scope.{} = {}", quoted(key), quoted(value.as_str().unwrap())));
            for filter in [format!("scope={}", quoted(&scope.to_string())), pairs.collect::<Vec<_>>().join(" AND ")] {
                let list = bank.list(&filter).await;
                assert_eq!((list.len(), &list[0]["fact"]), (1, &fact), "{filter}");
            }
            let body = json!({"scope": scope, "directContentsSource": said("hello")});
            bank.post(":ingestEvents", body).await.ok(StatusCode::OK);
        }
        for nobody in [json!({"app_name": "boats"}), json!({"user_id": "ANA"}), json!({"user_id": "ana", "app_name": "boats", "x": "y"})] {
            assert!(bank.retrieve(json!({"scope": nobody})).await.is_empty(), "{nobody}");
        }
        for wrong in [json!({}), json!({"a": "1", "b": "2", "c": "3", "d": "4", "e": "5", "f": "6"}), json!({"user_id": "usr_x"}), json!({"user_id": ""})] {
            let told = refused(&bank.post(":retrieve", json!({"scope": wrong})).await, 400, "INVALID_ARGUMENT");
            assert!(told.starts_with("scope: "), "{told}");
        }
    }
}

story! {
    // F13
    async fn what_is_retrieved_can_be_narrowed_and_paged(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let bank = Bank::of(&agent, "support");
        for (fact, metadata) in [
            ("User lives in Oslo", json!({"year": {"doubleValue": 2020}, "sure": {"boolValue": true}})),
            ("User worked for the opera of Oslo", json!({"year": {"doubleValue": 2023}, "at": {"timestampValue": "2027-01-01T12:30:00Z"}})),
            ("User sails every summer off Oslo", json!({"year": {"doubleValue": 2025}})),
            ("User plays chess", json!({})),
        ] {
            bank.creates(ana(), fact, metadata).await;
        }
        approve_all(&mia).await;
        let facts = async |more: Value| {
            let mut body = json!({"scope": ana()});
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let mut facts: Vec<String> = bank.retrieve(body).await.iter().map(|one| one["memory"]["fact"].as_str().unwrap().to_owned()).collect();
            facts.sort();
            facts
        };
        let group = |filters: Value| json!({"filterGroups": [{"filters": filters}]});
        let year = |op: &str, year: i32| json!({"key": "year", "op": op, "value": {"doubleValue": year}});
        for (more, count) in [
            (json!({}), 4),
            (json!({"filter": "fact:\"oslo\""}), 3),
            (json!({"filter": "fact=\"User plays chess\""}), 1),
            (json!({"filter": "fact!=\"User plays chess\" AND scope.user_id=\"ana\""}), 3),
            (json!({"filter": "create_time>\"2020-01-01T00:00:00Z\""}), 4),
            (json!({"filter": "update_time<\"2020-01-01T00:00:00Z\""}), 0),
            (json!({"filter": "topics.custom_memory_topic_label:\"warranty\""}), 0),
            (group(json!([year("GREATER_THAN", 2020)])), 2),
            (group(json!([year("GREATER_THAN", 2020), year("LESS_THAN", 2025)])), 1),
            (group(json!([{"key": "year", "value": {"double_value": 2020}, "negate": true}])), 3),
            (group(json!([{"key": "sure", "value": {"bool_value": true}}])), 1),
            (group(json!([{"key": "at", "value": {"timestamp_value": "2027-01-01T13:30:00.5+01:00"}}])), 1),
            (group(json!([{"key": "year", "value": {"string_value": "2020"}}])), 0),
            (json!({"filterGroups": [{"filters": [year("EQUAL", 2020)]}, {"filters": [year("EQUAL", 2023)]}]}), 2),
        ] {
            assert_eq!(facts(more.clone()).await.len(), count, "{more}");
            let mut searched = more.clone();
            searched["similaritySearchParams"] = json!({"search_query": "oslo chess", "top_k": 10});
            assert_eq!(facts(searched).await.len(), count, "{more}");
        }
        let top = json!({"scope": ana(), "similaritySearchParams": {"searchQuery": "chess", "topK": 1}});
        assert_eq!(bank.retrieve(top).await[0]["memory"]["fact"], "User plays chess");
        let usual = json!({"scope": ana(), "similaritySearchParams": {"searchQuery": "user"}});
        assert!(bank.retrieve(usual).await.len() <= 3);

        let mut token = Value::Null;
        let mut all = Vec::new();
        loop {
            let page = json!({"scope": ana(), "simpleRetrievalParams": {"page_size": 3, "page_token": token}});
            let page = bank.post(":retrieve", page).await.ok(StatusCode::OK);
            all.extend(rows(&page, "retrievedMemories"));
            assert_eq!(all[0].get("distance"), None);
            token = page["nextPageToken"].clone();
            if token.is_null() {
                break;
            }
        }
        let all: Vec<_> = all.iter().map(|one| &one["memory"]).collect();
        assert_eq!(json!(all), json!(bank.list("").await), "newest first");
        let of_oslo = bank.list("fact:\"oslo\"").await;
        let mut found = Vec::new();
        let mut token = String::new();
        loop {
            let query: String = form_urlencoded::Serializer::new(String::new())
                .append_pair("filter", "fact:\"oslo\"")
                .append_pair("pageSize", "1")
                .append_pair("orderBy", "create_time desc")
                .append_pair("page_token", &token)
                .finish();
            let page = bank.memories(Method::GET, &format!("?{query}"), None).await.ok(StatusCode::OK);
            found.extend(rows(&page, "memories"));
            match page["nextPageToken"].as_str() {
                Some(next) => next.clone_into(&mut token),
                None => break,
            }
        }
        assert_eq!((&found, found.len()), (&of_oslo, 3));

        for (more, message) in [
            (json!({"similaritySearchParams": {"searchQuery": " "}}), "similaritySearchParams.searchQuery: "),
            (json!({"similaritySearchParams": {"searchQuery": "a", "topK": -1}}), "similaritySearchParams.topK: "),
            (json!({"similaritySearchParams": {"searchQuery": "a"}, "simpleRetrievalParams": {}}), "simpleRetrievalParams: "),
            (json!({"simpleRetrievalParams": {"pageToken": "x"}}), "simpleRetrievalParams.pageToken: "),
            (json!({"memoryTypes": ["NATURAL_LANGUAGE_COLLECTION", "STRUCTURED_PROFILE"]}), "memoryTypes: "),
            (json!({"memoryTypes": ["SOMETHING"]}), "memoryTypes.0: "),
            (json!({"filter": "metadata.year=2020"}), "filter: "),
            (json!({"filter": "scope.user_id=bo"}), "filter: "),
            (group(json!([{"key": "year", "value": {"doubleValue": 1}, "op": "LIKE"}])), "filterGroups.0.filters.0.op: "),
            (json!({"similarity": {}}), ""),
        ] {
            let mut body = json!({"scope": ana()});
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let told = refused(&bank.post(":retrieve", body).await, 400, "INVALID_ARGUMENT");
            assert!(told.starts_with(message), "{told}");
        }
    }
}

story! {
    // F13, D11
    async fn profiles_are_read_by_their_schemas(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let bank = Bank::of(&agent, "support");
        let schema = json!({"type": "object", "properties": {
            "technical_stack": {"type": "string", "description": "The technologies, frameworks and languages that the user works with"},
            "job_status": {"type": "string", "enum": ["student", "employed", "unemployed", "retired"], "description": "What the user does for a living"},
        }});
        mia.post("/agents/support/schemas", json!({"id": "user-profile", "schema": schema})).await.ok(StatusCode::CREATED);
        let st = json!({"user_id": "st", "app_name": "tasks"});
        let profiles = async || {
            let answer = bank.post(":retrieveProfiles", json!({"scope": st})).await;
            answer.ok(StatusCode::OK)["profiles"]["user-profile"].clone()
        };
        for words in [
            "Can you help me build an ADK agent that organizes my daily tasks?",
            "Do you have any career recommendations for students that specialize in Python?",
        ] {
            let before = profiles().await;
            let begun = bank.post(":generate", json!({"scope": st, "directContentsSource": said(words)})).await.ok(StatusCode::OK);
            agent.finished(id(&begun)).await;
            assert_eq!(profiles().await, before, "nothing is read before a person approves");
            for candidate in waiting(&mia).await {
                if candidate["kind"] == "profile_field" {
                    approve(&mia, candidate["id"].as_str().unwrap()).await;
                }
            }
        }
        assert_eq!(profiles().await, json!({"schemaId": "user-profile", "profile": {"technical_stack": "ADK, Python", "job_status": "student"}}));
        let other = bank.post(":retrieveProfiles", json!({"scope": {"user_id": "st"}})).await.ok(StatusCode::OK);
        assert_eq!(other["profiles"]["user-profile"]["profile"], json!({}), "a scope is met exactly");

        assert!(bank.list("").await.is_empty(), "fields are no sentences");
        let fields = bank.retrieve(json!({"scope": st, "memoryTypes": ["STRUCTURED_PROFILE"]})).await;
        let stack = fields.iter().find(|one| one["memory"]["structuredContent"]["data"].get("technical_stack").is_some());
        let stack = &stack.unwrap()["memory"];
        assert_eq!((fields.len(), &stack["memoryType"]), (2, &json!("STRUCTURED_PROFILE")));
        assert_eq!(stack["structuredContent"], json!({"schemaId": "user-profile", "data": {"technical_stack": "ADK, Python"}}));
        assert_eq!(stack.get("metadata"), None);
        let revisions = bank.get(&format!("{}/revisions", name(stack))).await.ok(StatusCode::OK);
        let values: Vec<_> = rows(&revisions, "memoryRevisions").iter().map(|one| one["structuredData"]["technical_stack"].clone()).collect();
        assert_eq!(values, [json!("ADK, Python"), json!("ADK")]);
        let purged = bank.post(":purge", json!({"filter": "scope.user_id=st AND scope.app_name=tasks"})).await.ok(StatusCode::OK);
        assert_eq!(purged["response"]["purgeCount"], 2, "fields go too");
    }
}

story! {
    // F13
    async fn what_one_agent_has_does_not_exist_for_a_client_of_another(house: &House) {
        let (support, sales) = (house.agent("support").await, house.agent("sales").await);
        let (support_key, sales_key) = (house.agent_key(&support).await, house.agent_key(&sales).await);
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let ours = Bank::of(&support_key, "support");
        let oslo = remembers(&mia, &ours, "User lives in Oslo").await;
        let waits = ours.creates(ana(), "User plays chess", json!({})).await["response"].clone();
        let begun = ours.post(":generate", json!({"scope": ana(), "directContentsSource": said("I prefer tea to coffee")})).await.ok(StatusCode::OK);
        let calls = |id: &str| {
            let name = format!("memories/{id}");
            let fact = json!({"fact": "User lives in Bergen"});
            [
                (Method::GET, name.clone(), None),
                (Method::PATCH, name.clone(), Some(fact)),
                (Method::DELETE, name.clone(), None),
                (Method::GET, format!("{name}/revisions"), None),
                (Method::GET, format!("{name}/revisions/1"), None),
                (Method::POST, format!("{name}:rollback"), Some(json!({"targetRevisionId": "1"}))),
            ]
        };
        let memory = oslo.rsplit('/').next().unwrap();
        // By its own bank, by another agent's, and by a person whose key names all agents but who asks in the wrong place.
        let (theirs, by_name) = (Bank::of(&sales_key, "sales"), Bank::of(&sales_key, "support"));
        let elsewhere = Bank::of(&mia, "sales");
        for stranger in [&theirs, &by_name, &elsewhere] {
            for (there, never) in [(memory, "mem_00000000000000000000000000"), (id(&waits), "cand_00000000000000000000000000")] {
                for ((method, there, body), (_, never, _)) in calls(there).into_iter().zip(calls(never)) {
                    let at = |rest: &str| format!("{}/{rest}", stranger.parent);
                    let there = stranger.named(method.clone(), &at(&there), body.clone()).await;
                    let never = stranger.named(method.clone(), &at(&never), body).await;
                    assert_eq!(refused(&there, 404, "NOT_FOUND"), refused(&never, 404, "NOT_FOUND"), "{method}");
                }
            }
            let operation = format!("{}/operations/{}", stranger.parent, id(&begun));
            refused(&stranger.get(&operation).await, 404, "NOT_FOUND");
        }
        assert!(theirs.list("").await.is_empty() && elsewhere.list("").await.is_empty());
        assert!(theirs.retrieve(json!({"scope": ana()})).await.is_empty());
        for stranger in ["support", "nobody", "Not a name"] {
            let stranger = Bank::of(&sales_key, stranger);
            refused(&stranger.memories(Method::GET, "", None).await, 404, "NOT_FOUND");
            for (rest, body) in [
                ("", json!({"fact": "User sails", "scope": ana()})),
                (":retrieve", json!({"scope": ana()})),
                (":retrieveProfiles", json!({"scope": ana()})),
                (":generate", json!({"scope": ana(), "directContentsSource": said("I sail")})),
                (":ingestEvents", json!({"scope": ana(), "directContentsSource": said("I sail")})),
                (":purge", json!({"filter": "scope.user_id=ana", "force": true})),
            ] {
                refused(&stranger.post(rest, body).await, 404, "NOT_FOUND");
            }
        }
        assert_eq!(mia.get("/candidates?agent=sales").await.ok(StatusCode::OK)["data"], json!([]), "nothing was proposed there");
        ours.get(&oslo).await.ok(StatusCode::OK);
    }
}

story! {
    // F13, G2
    async fn nothing_is_told_of_who_opted_out(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let bank = Bank::of(&agent, "support");
        let oslo = remembers(&mia, &bank, "User lives in Oslo").await;
        let waits = bank.creates(ana(), "User plays chess", json!({})).await["response"].clone();
        bank.get(name(&waits)).await.ok(StatusCode::OK);
        mia.call(Method::PATCH, "/users/ana", &[], Some(json!({"opted_out": true}))).await.ok(StatusCode::OK);
        for hidden in [oslo.as_str(), name(&waits)] {
            refused(&bank.get(hidden).await, 404, "NOT_FOUND");
        }
        assert!(bank.list("").await.is_empty() && bank.retrieve(json!({"scope": ana()})).await.is_empty());
        let none = bank.creates(ana(), "User sails", json!({})).await;
        assert!(none["error"]["message"].as_str().unwrap().contains("opted out"), "{none}");
        let none = bank.post(":ingestEvents", json!({"scope": ana(), "directContentsSource": said("I sail")})).await.ok(StatusCode::OK);
        assert_eq!((&none["done"], &none["metadata"]["keepsake"]["reason"]), (&json!(true), &json!("opted_out")));
    }
}

story! {
    // F13
    async fn a_refusal_is_a_status_as_google_has_it(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let bank = Bank::of(&agent, "support");
        let memories = format!("{}/memories", bank.parent);
        let unknown = Bank { house, key: domain::key::ApiKey::new(&engine::OsEntropy).reveal().to_owned(), parent: bank.parent.clone() };
        assert!(refused(&unknown.get(&memories).await, 401, "UNAUTHENTICATED").contains("not valid"));
        let nobody = send(bank.at(Method::GET, &memories), None).await;
        assert!(refused(&nobody, 401, "UNAUTHENTICATED").starts_with("Send a key"));
        let reads = Bank::of(&house.key(Some(&support), None, &[KeyScope::MemoriesRead]).await, "support");
        let tea = json!({"fact": "User likes tea", "scope": ana()});
        assert!(refused(&reads.post("", tea.clone()).await, 403, "PERMISSION_DENIED").contains("candidates:write"));
        for (method, rest) in [(Method::GET, "/sessions"), (Method::POST, "/memories:forget"), (Method::GET, "/operations")] {
            let body = (method == Method::POST).then(|| json!({}));
            let told = refused(&bank.named(method, &format!("{}{rest}", bank.parent), body).await, 404, "NOT_FOUND");
            assert!(told.contains("COMPAT.md"), "{told}");
        }
        refused(&bank.named(Method::PUT, &memories, Some(json!({}))).await, 405, "UNIMPLEMENTED");
        let large = json!({"fact": "x".repeat(2 * 1024 * 1024), "scope": ana()});
        refused(&bank.post("", large).await, 413, "INVALID_ARGUMENT");
        let raw = async |kind: &str, body: &'static str| {
            let request = bank.at(Method::POST, &memories).bearer_auth(&bank.key);
            send(request.header("content-type", kind).body(body), None).await
        };
        refused(&raw("application/json", "{").await, 400, "INVALID_ARGUMENT");
        refused(&raw("text/plain", "{}").await, 400, "INVALID_ARGUMENT");
        for (rest, message) in [
            ("?filter=scope.user_id%3D1+OR+fact%3D2", "filter: "),
            ("?orderBy=fact", "orderBy: "),
            ("?pageSize=-1", "pageSize: "),
            ("?pageToken=x", "pageToken: "),
            ("?page=1", ""),
        ] {
            let told = refused(&bank.memories(Method::GET, rest, None).await, 400, "INVALID_ARGUMENT");
            assert!(told.starts_with(message), "{told}");
        }
        for (change, rest, message) in [
            (json!({"fact": null}), "", "fact: "),
            (json!({"scope": null}), "", "scope: "),
            (json!({"ttl": "3600s"}), "", "ttl: "),
            (json!({"expireTime": "2999-01-01T00:00:00Z"}), "", "expireTime: "),
            (json!({"disableMemoryRevisions": true}), "", "disableMemoryRevisions: "),
            (json!({"structuredContent": {"schemaId": "s", "data": {}}}), "", "structuredContent: "),
            (json!({"topics": [{"customMemoryTopicLabel": "gossip"}]}), "", "topics: "),
            (json!({"topics": [{"customMemoryTopicLabel": "fact"}, {"customMemoryTopicLabel": "preference"}]}), "", "topics: "),
            (json!({"metadata": {"a": {"intValue": 1}}}), "", "metadata.a"),
            (json!({}), "?memoryId=tea", "memoryId: "),
        ] {
            let mut body = tea.clone();
            body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            let told = refused(&bank.post(rest, body).await, 400, "INVALID_ARGUMENT");
            assert!(told.starts_with(message), "{told}");
        }
        assert!(bank.list("").await.is_empty());
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
            let bank = Bank::of(&house.agent_key(&support).await, "support");
            assert!(bank.list("").await.is_empty());
            let throttled = bank.memories(Method::GET, "", None).await;
            refused(&throttled, 429, "RESOURCE_EXHAUSTED");
            assert_eq!(throttled.header("retry-after"), "1");
        }
        house.close().await;
    }
}
