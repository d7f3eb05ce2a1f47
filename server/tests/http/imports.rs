//! Memories that come from elsewhere, over the API and on the pages with plain forms.

use domain::permission::{Permission, RoleName};
use engine::NewUpload;
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    house::{Api, House, story},
    schema::assert_described,
    sign_in::Browser,
};

const TABLE: &str = "user_id,memory,created_at\nana,User has a boat,2026-03-01\nbo,\"User has a kite,\nand a dog\",\n,User has a harp,\n";

/// Waits until the worker is done with an import.
async fn ended(key: &Api<'_>, id: &str) -> Value {
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        let path = format!("/imports/{id}");
        let now = key.get(&path).await.ok(StatusCode::OK);
        if !matches!(now["state"].as_str(), Some("running" | "withdrawing")) {
            return now;
        }
        assert!(tokio::time::Instant::now() < deadline, "still {now}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

fn figures(import: &Value) -> Vec<i64> {
    ["waits", "proposed", "duplicate", "known", "failed"]
        .into_iter()
        .map(|field| import[field].as_i64().unwrap())
        .collect()
}

story! {
    // G13
    async fn a_file_is_looked_at_run_and_withdrawn_over_the_api(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let body = json!({"agent": "support", "content": TABLE, "file": "notes.csv"});
        assert_eq!(agent.post("/imports", body.clone()).await.problem(403), "forbidden");
        let answer = mia.post("/imports", body).await;
        let import = answer.ok(StatusCode::CREATED);
        let id = import["id"].as_str().unwrap().to_owned();
        assert_eq!(answer.header("location"), format!("/api/v1/imports/{id}"));
        assert_eq!((&import["state"], &import["format"], &import["file"]), (&json!("ready"), &json!("csv"), &json!("notes.csv")));
        assert_eq!(figures(&import), [2, 0, 0, 0, 1]);
        assert_eq!(import["mapping"]["columns"]["memory"], "content");

        let shown = mia.get(&format!("/imports/{id}")).await.ok(StatusCode::OK);
        let second = &shown["preview"][1]["becomes"];
        assert_eq!((&second["user_id"], &second["content"]), (&json!("bo"), &json!("User has a kite,\nand a dog")));
        let errors = mia.get(&format!("/imports/{id}/errors")).await.ok(StatusCode::OK);
        let error = &errors["data"][0];
        assert_eq!((&error["row"], &error["line"]), (&json!(3), &json!(5)));
        assert_eq!((&error["column"], &error["code"]), (&json!("user_id"), &json!("required")));
        assert_eq!(error["detail"], "Say whom it is about, or give one user for all rows.");

        let mapping = json!({"columns": {"memory": "content", "created_at": "said_at"}, "constants": {"user_id": "ana", "kind": "preference"}});
        let mapped = mia.post(&format!("/imports/{id}/map"), mapping).await.ok(StatusCode::OK);
        assert_eq!(figures(&mapped), [3, 0, 0, 0, 0]);
        mia.post(&format!("/imports/{id}/run"), json!({})).await.ok(StatusCode::ACCEPTED);
        let done = ended(&mia, &id).await;
        assert_eq!((&done["state"], figures(&done)), (&json!("done"), vec![0, 3, 0, 0, 0]));
        let waiting = mia.waiting("ana").await;
        assert_eq!(waiting.len(), 3);
        let boat = waiting.iter().find(|one| one["content"] == "User has a boat").unwrap();
        assert_eq!(boat["flags"], json!(["no_evidence", "imported"]));
        assert_eq!((&boat["imported"]["import"], &boat["imported"]["row"]), (&json!(id), &json!(1)));
        assert_eq!(boat["extractor"]["name"], "import");
        assert_eq!(mia.post(&format!("/imports/{id}/stop"), json!({})).await.problem(409), "bulk_over");

        mia.post(&format!("/imports/{id}/withdraw"), json!({})).await.ok(StatusCode::ACCEPTED);
        assert_eq!(ended(&mia, &id).await["state"], "withdrawn");
        assert!(mia.waiting("ana").await.is_empty());
        let list = mia.get("/imports").await.ok(StatusCode::OK);
        assert_eq!(list["data"].as_array().unwrap().len(), 1);
    }

    // G13
    async fn what_cannot_be_read_is_said_where_it_is(house: &House) {
        house.agent("support").await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        for (body, pointer, code) in [
            (json!({"agent": "support", "content": ""}), "/content", "empty_file"),
            (json!({"agent": "support", "content": "user_id,memory\n"}), "/content", "no_rows"),
            (json!({"agent": "support", "content": "user_id,memory\nana,\"User likes rum\nbo,User is tall\n"}), "/content", "open_quote"),
            (json!({"agent": "support", "content": "user_id,memory\nana,\"User likes \"big\" cars\"\n"}), "/content", "after_quote"),
            (json!({"agent": "support", "content": "a,a\n1,2\n"}), "/content", "head_twice"),
            (json!({"agent": "support", "content": "{}", "format": "json"}), "/content", "no_list"),
            (json!({"agent": "support", "content": TABLE, "mapping": {"columns": {"nothing": "content"}}}), "/mapping/columns", "unknown"),
            (json!({"agent": "support", "content": TABLE, "mapping": {"columns": {"memory": "owner"}}}), "/mapping/columns/memory", "invalid"),
            (json!({"content": TABLE}), "/agent", "required"),
        ] {
            let refused = mia.post("/imports", body).await;
            assert_eq!(refused.problem(422), "invalid");
            let error = &refused.json()["errors"][0];
            assert_eq!((error["pointer"].as_str(), error["code"].as_str()), (Some(pointer), Some(code)));
        }
        let large = json!({"agent": "support", "content": format!("memory,user_id\n{}", "x".repeat(2 * 1024 * 1024))});
        let taken = mia.post("/imports", large).await.ok(StatusCode::CREATED);
        assert_eq!(figures(&taken), [0, 0, 0, 0, 1], "larger than other bodies may be, and one row without a user");
        let larger = json!({"agent": "support", "content": "x".repeat(9 * 1024 * 1024)});
        assert_eq!(mia.post("/imports", larger).await.problem(413), "too_large");
        let gone = mia.get("/imports/imp_00000000000000000000000000").await;
        assert_eq!(gone.problem(404), "not_found");
    }

    // G13, F13, D9
    async fn what_mem0_kept_of_an_app_is_found_by_its_surface(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let mia = house.person_key(&mia).await;
        let export = json!({"results": [
            {"id": "m-1", "memory": "User owns a kayak", "user_id": "ana", "app_id": "boats", "agent_id": "bot", "run_id": "r1"},
            {"id": "m-2", "memory": "User keeps bees", "user_id": "ana", "app_id": null, "agent_id": null},
        ]});
        let import = mia.post("/imports", json!({"agent": "support", "content": export.to_string()})).await.ok(StatusCode::CREATED);
        assert_described(&import, "ImportView");
        let columns = json!({"memory": "content", "user_id": "user_id", "app_id": "scope.app_id", "id": "source_id"});
        assert_eq!((figures(&import), &import["mapping"]["columns"]), (vec![2, 0, 0, 0, 0], &columns));
        let id = import["id"].as_str().unwrap().to_owned();
        let shown = mia.get(&format!("/imports/{id}")).await.ok(StatusCode::OK);
        let (first, second) = (&shown["preview"][0]["becomes"], &shown["preview"][1]["becomes"]);
        assert_eq!((&first["user_id"], &first["scope"]), (&json!("app_id=boats, user_id=ana"), &json!({"app_id": "boats", "user_id": "ana"})));
        assert_eq!((&second["user_id"], second.get("scope")), (&json!("ana"), None));

        let mut browser = Browser::new(house);
        browser.signs_in("mia@example.com").await;
        let page = browser.get(&format!("/imports/{id}")).await.text;
        assert!(page.contains("value=\"scope.app_id\" selected"), "{page}");
        assert!(page.contains("app_id=boats, user_id=ana"), "{page}");

        mia.post(&format!("/imports/{id}/run"), json!({})).await.ok(StatusCode::ACCEPTED);
        assert_eq!(figures(&ended(&mia, &id).await), [0, 2, 0, 0, 0]);
        let waiting = mia.get("/candidates?agent=support").await.ok(StatusCode::OK);
        for candidate in waiting["data"].as_array().unwrap() {
            mia.post(&format!("/candidates/{}/approve", candidate["id"].as_str().unwrap()), json!({})).await.ok(StatusCode::OK);
        }
        for (filters, memory) in [
            (json!({"user_id": "ana", "app_id": "boats"}), "User owns a kayak"),
            (json!({"user_id": "ana"}), "User keeps bees"),
        ] {
            let url = format!("{}/compat/mem0/v3/memories/", house.url);
            let found = house.http.post(url).bearer_auth(&agent.key).json(&json!({"filters": filters})).send().await.unwrap();
            let found: Value = found.json().await.unwrap();
            assert_eq!((&found["count"], &found["results"][0]["memory"]), (&json!(1), &json!(memory)), "{filters}");
        }
    }

    // G13
    async fn what_the_command_line_uploaded_says_so(house: &House) {
        let support = house.agent("support").await;
        house.person("Mia", RoleName::Admin).await;
        let system = House::system(Permission::Administer);
        let upload = NewUpload { format: None, file: Some("notes.csv".into()), mapping: None, content: TABLE.as_bytes().to_vec() };
        let import = house.engine.upload_import(&system, &support, upload).await.unwrap();
        let mut browser = Browser::new(house);
        browser.signs_in("mia@example.com").await;
        for path in ["/imports".to_owned(), format!("/imports/{}", import.id)] {
            let page = browser.get(&path).await.text;
            assert!(page.contains("Command line") && page.contains("notes.csv"), "{page}");
        }
    }

    // G13
    async fn an_administrator_uploads_maps_and_runs_a_file_with_plain_forms(house: &House) {
        house.agent("support").await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let key = house.person_key(&mia).await;
        let mut browser = Browser::new(house);
        browser.signs_in("mia@example.com").await;
        let refused = browser.uploads("/imports", "support", "notes.csv", b"a\n\xff\n").await;
        assert_eq!(refused.status, 303);
        let page = browser.get(&refused.header("location")).await;
        assert!(page.text.contains("The file is not UTF-8."), "{}", page.text);
        for (file, line) in [
            (&b""[..], "The file is empty."),
            (&b"a,b\n1,\"2\n"[..], "In line 2 a quote is opened"),
            (&b"a,b,a\n1,2,3\n"[..], "Two columns are called \u{201c}a\u{201d}."),
        ] {
            let refused = browser.uploads("/imports", "support", "notes.csv", file).await;
            let page = browser.get(&refused.header("location")).await;
            assert!(page.text.contains(line), "{}", page.text);
            assert!(!page.text.contains("Nothing matches by now."), "{}", page.text);
        }
        // What nobody ran is forgotten, and nothing of it leaves the queue.
        let headless = browser.uploads("/imports", "support", "notes.csv", b"ana,User likes tea\nbo,User likes rum\n").await;
        let path = headless.header("location").split('?').next().unwrap().to_owned();
        let page = browser.get(&path).await.text;
        assert!(page.contains("ana, User likes tea") && page.contains("Forget this upload"), "{page}");
        let forgotten = browser.post(&format!("{path}/withdraw"), &[]).await;
        let page = browser.get(&forgotten.header("location")).await.text;
        assert!(page.contains("The upload is being forgotten."), "{page}");
        ended(&key, path.rsplit('/').next().unwrap()).await;

        let uploaded = browser.uploads("/imports", "support", "notes.csv", TABLE.as_bytes()).await;
        assert_eq!(uploaded.status, 303, "{}", uploaded.text);
        let next = uploaded.header("location");
        let page = browser.get(&next).await.text;
        assert!(page.contains("Import of notes.csv") && page.contains("User has a boat"), "{page}");
        assert!(page.contains("Say whom it is about"));
        let path = next.split('?').next().unwrap().to_owned();
        let id = path.rsplit('/').next().unwrap().to_owned();
        let table = browser.get(&format!("{path}/errors")).await;
        assert_eq!(table.header("content-type"), "text/csv; charset=utf-8");
        assert!(table.text.contains("3,5,user_id,required,"), "{}", table.text);
        assert!(!table.text.contains("harp"));

        let form = [("column.0", "user_id"), ("column.1", ""), ("column.2", ""), ("user_id", ""), ("kind", "fact")];
        let refused = browser.post(&format!("{path}/map"), &form).await;
        let page = browser.get(&refused.header("location")).await.text;
        assert!(page.contains("Say which column holds the statement"), "{page}");
        // What the form has no place for stays.
        let mapping = json!({"columns": {"memory": "content"}, "constants": {"user_id": "bo", "kind": "fact", "tags": "old"}});
        key.post(&format!("/imports/{id}/map"), mapping).await.ok(StatusCode::OK);
        let form = [("column.0", ""), ("column.1", "content"), ("column.2", "said_at"), ("user_id", "ana"), ("kind", "fact")];
        let mapped = browser.post(&format!("{path}/map"), &form).await;
        let page = browser.get(&mapped.header("location")).await.text;
        assert!(page.contains("Propose 3 rows"), "{page}");
        let shown = key.get(&format!("/imports/{id}")).await.ok(StatusCode::OK);
        assert_eq!(shown["mapping"]["constants"], json!({"user_id": "ana", "kind": "fact", "tags": "old"}));
        let running = browser.post(&format!("{path}/run"), &[]).await;
        assert_eq!(running.status, 303);
        let done = ended(&key, &id).await;
        assert_eq!(figures(&done), [0, 3, 0, 0, 0]);
        let page = browser.get("/review?flag=imported").await.text;
        assert!(page.contains("User has a harp"), "{page}");
        let candidate = key.waiting("ana").await[0]["id"].as_str().unwrap().to_owned();
        let page = browser.get(&format!("/candidates/{candidate}")).await.text;
        assert!(page.contains("of an imported file"), "{page}");
        let withdrawn = browser.post(&format!("{path}/withdraw"), &[]).await;
        assert_eq!(withdrawn.status, 303);
        assert_eq!(ended(&key, &id).await["state"], "withdrawn");
        let late = browser.post(&format!("{path}/run"), &[]).await;
        let page = browser.get(&late.header("location")).await.text;
        assert!(page.contains("Not while it runs, and not after it has ended."), "{page}");
    }
}
