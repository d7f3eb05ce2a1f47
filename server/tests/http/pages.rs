//! What a browser is answered on the pages.

use domain::permission::RoleName;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    house::{Api, House, story},
    sign_in::Browser,
};

async fn proposed(key: &Api<'_>, content: &str) -> Value {
    let body = json!({
        "user_id": "ana", "kind": "preference", "name": "favourite player", "content": content
    });
    let answer = key.post("/candidates", body).await.ok(StatusCode::CREATED);
    answer["candidate"].clone()
}

story! {
    async fn nul_in_an_address_or_a_form_is_refused_as_not_understood(house: &House) {
        let support = house.agent("support").await;
        house.person("Mia", RoleName::Admin).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;
        for path in [
            "/review?kind=%00", "/review?after=%00", "/review?c=%00", "/memories?kind=%00", "/memories?q=a%00b", "/users?q=%00",
            "/login?next=%00", "/setup?token=%00",
        ] {
            let page = mia.get(path).await;
            assert_eq!(page.status, 422, "{path}: {}", page.text);
            assert!(page.text.contains("Not understood"), "{path}: {}", page.text);
        }
        assert_eq!(mia.get("/memories?q=%2500&kind=fact").await.status, 200);
        for (path, field) in [("/agents", "name"), ("/login", "email"), (&format!("/agents/{support}/keys"), "name")] {
            let page = mia.post(path, &[(field, "a\0b")]).await;
            assert_eq!(page.status, 422, "{path}: {}", page.text);
        }
    }
}

story! {
    // F2, F7
    async fn an_approval_of_an_update_names_what_was_seen_and_shows_what_is_there(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        house.person("Mia", RoleName::Admin).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;

        let first = proposed(&agent, "User's favourite player is Ronaldo").await;
        let approve = |of: &Value| format!("/candidates/{}/approve", of["id"].as_str().unwrap());
        let memory = bo.post(&approve(&first), json!({})).await.ok(StatusCode::OK)["memory"].clone();
        let memory = memory.as_str().unwrap();
        let update = proposed(&agent, "User's favourite player is Messi").await;
        let here = format!("/candidates/{}", update["id"].as_str().unwrap());
        assert!(mia.get(&here).await.text.contains("name=\"target_revision\" value=\"1\""));
        let change = json!({"content": "User's favourite player is Zidane"});
        bo.call(reqwest::Method::PATCH, &format!("/memories/{memory}"), &[("if-match", "\"1\"")], Some(change)).await.ok(StatusCode::OK);

        let stale = bo.post(&approve(&update), json!({"target_revision": 1})).await;
        assert_eq!(stale.problem(412), "stale");
        assert_eq!(stale.json()["current"]["revision"], 2);
        let one = json!({"decisions": [{"id": update["id"], "decision": "approve", "target_revision": 1}]});
        let many = bo.post("/candidates/decide", one).await.ok(StatusCode::OK);
        assert_eq!(many["results"][0]["code"], "stale");

        let typed = "User's favourite player is Lionel Messi";
        let form = [("version", "1"), ("target_revision", "1"), ("here", here.as_str()), ("edited", "1"), ("content", typed)];
        let refused = mia.post(&approve(&update), &form).await;
        assert_eq!(refused.status, 303, "{}", refused.text);
        let page = mia.get(&refused.header("location")).await.text;
        for there in ["Zidane", "data-failed", "Lionel Messi", "name=\"target_revision\" value=\"2\""] {
            assert!(page.contains(there), "{there}: {page}");
        }
        let done = mia.post(&approve(&update), &[("version", "1"), ("target_revision", "2")]).await;
        assert_eq!(done.status, 303, "{}", done.text);
        let now = bo.get(&format!("/memories/{memory}")).await.ok(StatusCode::OK);
        assert_eq!((&now["revision"], &now["content"]), (&json!(3), &json!("User's favourite player is Messi")));
    }
}

story! {
    async fn a_filtered_queue_is_headed_by_how_many_fit_and_keeps_the_whole_in_its_chip(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let reads = house.person_key(&mia).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;
        for (user, name) in [("ana", "tea"), ("bo", "tea"), ("bo", "cake")] {
            let body = json!({"user_id": user, "kind": "preference", "name": name, "content": format!("User prefers green {name}")});
            agent.post("/candidates", body).await.ok(StatusCode::CREATED);
        }
        let whole = mia.get("/review").await.text;
        assert!(whole.contains(">3 waiting"), "{whole}");
        let users = reads.get("/users").await.ok(StatusCode::OK);
        let bo = users["data"].as_array().unwrap().iter().find(|user| user["user_id"] == "bo").unwrap();
        let page = mia.get(&format!("/review?user={}", bo["id"].as_str().unwrap())).await.text;
        assert!(page.contains(">2 waiting") && page.contains("<b>3</b>"), "{page}");
    }
}

story! {
    // E4, F8
    async fn a_users_conversations_are_listed_page_by_page_and_an_export_is_offered_to_who_may_have_one(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        for number in 0..51 {
            let hello = json!([{"role": "user", "content": "Hello there"}]);
            let body = json!({"user_id": "ana", "conversation_id": format!("c-{number}"), "messages": hello});
            agent.post("/conversations", body).await.ok(StatusCode::ACCEPTED);
        }
        let odo = house.person("Odo", RoleName::Auditor).await;
        house.person("Vic", RoleName::Viewer).await;
        let users = house.person_key(&odo).await.get("/users").await.ok(StatusCode::OK);
        let ana = users["data"][0]["id"].as_str().unwrap();
        let (mut odo, mut vic) = (Browser::new(house), Browser::new(house));
        odo.signs_in("odo@example.com").await;
        vic.signs_in("vic@example.com").await;

        let section = |page: &str| {
            let (_, rest) = page.split_once("id=\"conversations\"").unwrap();
            rest.split_once("</section>").unwrap().0.to_owned()
        };
        let page = vic.get(&format!("/users/{ana}")).await.text;
        assert!(!page.contains("/exports?user="), "{page}");
        let newest = section(&page);
        assert_eq!(newest.matches("href=\"/conversations/conv_").count(), 50, "{newest}");
        let links = newest.split("href=\"").filter_map(|rest| rest.split('"').next());
        let next: Vec<_> = links.filter(|href| href.contains("?conversations=")).collect();
        let last = section(&vic.get(next[0].split('#').next().unwrap()).await.text);
        assert_eq!((next.len(), last.matches("href=\"/conversations/conv_").count()), (1, 1), "{last}");
        assert!(last.contains(&format!("href=\"/users/{ana}#conversations\"")), "the way back: {last}");

        let to = format!("/exports?user={ana}");
        assert!(odo.get(&format!("/users/{ana}")).await.text.contains(&format!("href=\"{to}#ask\"")));
        assert!(odo.get(&to).await.text.contains(&format!("value=\"{ana}\"")), "the form is filled in");
    }
}

story! {
    // F2
    async fn what_a_statement_could_be_merged_into_is_offered_by_nearness_and_found_among_all(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        house.person("Mia", RoleName::Reviewer).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;
        let many = Some(json!({"max_memories": 200}));
        bo.call(Method::PATCH, "/agents/support", &[("if-match", "*")], many).await.ok(StatusCode::OK);
        let remember = async |content: &str| {
            let body = json!({"user_id": "ana", "kind": "fact", "content": content});
            let made = bo.post("/memories?agent=support", body).await.ok(StatusCode::CREATED);
            made["id"].as_str().unwrap().to_owned()
        };
        let cello = remember("User plays the cello in an orchestra").await;
        let mut houses = Vec::new();
        for number in 100..153 {
            houses.push((remember(&format!("User has visited house {number}")).await, number));
        }
        let body = json!({"user_id": "ana", "kind": "fact", "content": "User bought another cello bow"});
        let made = agent.post("/candidates", body).await.ok(StatusCode::CREATED);
        let id = made["candidate"]["id"].as_str().unwrap();
        let offered = |page: &str| -> Vec<String> {
            let options = page.split("<option value=\"mem_").skip(1);
            options.map(|rest| format!("mem_{}", rest.split(':').next().unwrap())).collect()
        };
        let page = mia.get(&format!("/candidates/{id}")).await.text;
        let first = offered(&page);
        assert_eq!((first.len(), first.first()), (50, Some(&cello)), "{page}");
        let (hidden, number) = houses.iter().find(|(id, _)| !first.contains(id)).expect("not all are offered");
        assert!(page.contains(&format!("method=\"get\" action=\"/candidates/{id}\"")), "{page}");

        let page = mia.get(&format!("/review?kind=fact&c={id}&merge={number}")).await.text;
        assert_eq!(offered(&page), [hidden.as_str()], "{page}");
        for kept in ["name=\"kind\" value=\"fact\"", &format!("name=\"c\" value=\"{id}\""), &format!("name=\"merge\" value=\"{number}\"")] {
            assert!(page.contains(kept), "{kept}: {page}");
        }
        let page = mia.get(&format!("/candidates/{id}?merge=Antarctica")).await.text;
        assert!(offered(&page).is_empty() && page.contains("value=\"Antarctica\"") && page.contains("No memory fits"), "{page}");
    }
}

store::both! {
    // F7, G13, G14
    async fn the_page_of_what_runs_looks_again_by_itself_until_that_has_ended(db: &TestDb) {
        // As if another process had all three and did not come to their end.
        const RUN: [&str; 3] = [
            "update bulks set state = 'running', epoch = epoch + 1, lease_until = 9000000000000000",
            "update imports set state = 'running', epoch = epoch + 1, lease_until = 9000000000000000",
            "update dry_runs set state = 'running', epoch = epoch + 1, lease_until = 9000000000000000",
        ];
        const END: [&str; 3] = [
            "update bulks set state = 'done', lease_until = null",
            "update imports set state = 'done', lease_until = null",
            "update dry_runs set state = 'done', lease_until = null",
        ];
        let house = House::open(db).await;
        {
            let support = house.agent("support").await;
            let agent = house.agent_key(&support).await;
            let mia = house.person("Mia", RoleName::Admin).await;
            let api = house.person_key(&mia).await;
            let mut mia = Browser::new(&house);
            mia.signs_in("mia@example.com").await;
            agent.says("ana", "I prefer code examples in Python rather than pseudocode").await;
            let picked = json!([{"id": api.waiting("ana").await[0]["id"], "version": 1}]);
            let bulk = api.post("/bulks", json!({"verdict": "approve", "candidates": picked})).await.ok(StatusCode::CREATED);
            let table = json!({"agent": "support", "content": "user_id,memory\nana,User has a boat\n"});
            let import = api.post("/imports", table).await.ok(StatusCode::CREATED);
            let run = api.post("/agents/support/dry-runs", json!({"confirm": true})).await.ok(StatusCode::ACCEPTED);
            let id = |made: &Value| made["id"].as_str().unwrap().to_owned();
            let pages = [
                format!("/bulks/{}", id(&bulk)),
                format!("/imports/{}", id(&import)),
                format!("/agents/support/dry-runs/{}", id(&run)),
            ];
            assert_eq!(mia.get(&pages[1]).await.header("refresh"), "", "somebody may be typing");
            for (state, header) in [(RUN, "5"), (END, "")] {
                for statement in state {
                    db.behind_the_back(statement).await.unwrap();
                }
                for path in &pages {
                    let page = mia.get(path).await;
                    assert_eq!((page.status, page.header("refresh").as_str()), (200, header), "{path}: {}", page.text);
                    assert_eq!(page.text.contains("looks again by itself"), !header.is_empty(), "{path}");
                }
            }
        }
        house.close().await;
    }
}
