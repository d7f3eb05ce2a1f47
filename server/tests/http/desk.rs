//! The desk over HTTP: claims, hand-overs, filters and saved views as pages, claims by REST.

use domain::{
    permission::{Grant, RoleName},
    time::Span,
};
use engine::NewPerson;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use store::testing::TestDb;

use crate::{
    house::{Api, House, PASSWORD, story},
    redact::redacted,
    schema::assert_described,
    sign_in::Browser,
};

async fn proposed(key: &Api<'_>, user: &str, content: &str) -> String {
    let body = json!({"user_id": user, "kind": "fact", "content": content});
    let made = key.post("/candidates", body).await.ok(StatusCode::CREATED);
    made["candidate"]["id"].as_str().unwrap().to_owned()
}

async fn signed_in<'a>(house: &'a House, name: &str, role: RoleName) -> Browser<'a> {
    house.person(name, role).await;
    let mut browser = Browser::new(house);
    let email = format!("{}@example.com", name.to_lowercase());
    browser.signs_in(&email).await;
    browser
}

/// The opening tag of a form that opens and closes, and what comes up to the next one.
fn verdict<'a>(page: &'a str, class: &str) -> (&'a str, &'a str) {
    let class = format!("class=\"{class}\"");
    let mut forms = page.split("<details").filter_map(|one| one.split_once('>'));
    forms
        .find(|(tag, _)| tag.contains(&class) && tag.contains("name=\"verdict\""))
        .unwrap_or_else(|| panic!("no {class} in {page}"))
}

/// Sends a form and follows its answer.
async fn sent(browser: &mut Browser<'_>, path: &str, form: &[(&str, &str)]) -> String {
    let answer = browser.post(path, form).await;
    assert_eq!(answer.status, 303, "{path}: {}", answer.text);
    browser.get(&answer.header("location")).await.text
}

story! {
    // F7
    async fn a_claim_is_seen_keeps_others_from_deciding_and_is_taken_over_by_plain_forms(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let id = proposed(&agent, "ana", "User lives in Oslo").await;
        let mut rei = signed_in(house, "Rei", RoleName::Reviewer).await;
        let mut bo = signed_in(house, "Bo", RoleName::Reviewer).await;
        let mut ada = signed_in(house, "Ada", RoleName::Admin).await;
        let at = |verb: &str| format!("/candidates/{id}/{verb}");
        let here = format!("/review?c={id}");
        let next = [("next", here.as_str())];

        let page = sent(&mut rei, &at("claim"), &next).await;
        for there in ["It is yours for 5 minutes", "Yours until", "id=\"heartbeat\"", "/release\""] {
            assert!(page.contains(there), "{there}: {page}");
        }
        let page = bo.get(&here).await.text;
        assert_eq!(page.matches("Rei has this until").count(), 2, "on the row and in the pane: {page}");
        for absent in ["id=\"heartbeat\"", "/take-over\"", "/release\""] {
            assert!(!page.contains(absent), "{absent}: {page}");
        }
        let form = [("version", "1"), ("here", &here), ("edited", "1"), ("content", "User lives in Bergen")];
        let page = sent(&mut bo, &at("approve"), &form).await;
        assert!(page.contains("Rei has claimed this for another 5 min") && page.contains("User lives in Bergen"), "{page}");
        // A refused rejection comes back as one.
        let rejection = [("version", "1"), ("here", &here), ("reason", "wrong"), ("note", "She moved in May")];
        let page = sent(&mut bo, &at("reject"), &rejection).await;
        assert_eq!(page.matches("She moved in May").count(), 1, "{page}");
        for (class, opened) in [("reject", true), ("edit", false), ("hand-over", false)] {
            let (tag, form) = verdict(&page, class);
            assert_eq!(tag.split_whitespace().any(|word| word.starts_with("open")), opened, "{class}: {tag}");
            assert_eq!(form.contains("She moved in May"), opened, "{class}: {form}");
        }
        assert_eq!(bo.post(&at("take-over"), &next).await.status, 403);
        let quiet = rei.post(&at("claim"), &[("quiet", "1"), ("next", &here)]).await;
        assert_eq!(quiet.header("location"), here, "a sign of life leaves no message");

        assert!(ada.get(&here).await.text.contains("/take-over\""));
        let page = sent(&mut ada, &at("take-over"), &next).await;
        assert!(page.contains("Taken over."), "{page}");
        assert!(rei.get(&here).await.text.contains("Ada took this over from you"));
        let page = sent(&mut ada, &at("release"), &next).await;
        assert!(page.contains("Released.") && page.contains("data-action=\"claim\""), "{page}");

        // The later of two sees what stands beside what they had typed.
        let done = ada.post(&at("approve"), &[("version", "1"), ("edited", "1"), ("content", "User lives in Turku")]).await;
        assert_eq!(done.status, 303, "{}", done.text);
        house.clock.advance(Span::seconds(12));
        let page = sent(&mut bo, &at("approve"), &form).await;
        for there in ["Approved by Ada 12 s ago", "Stands now", "You typed", "Turku", "Bergen"] {
            assert!(page.contains(there), "{there}: {page}");
        }
        let page = sent(&mut rei, &at("claim"), &next).await;
        assert!(page.contains("Approved by Ada"), "{page}");
    }
}

story! {
    // G10
    async fn a_hand_over_is_written_shown_found_and_taken_back_by_plain_forms(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let id = proposed(&agent, "ana", "ユーザーは東京に住んでいます").await;
        proposed(&agent, "bo", "User lives in Oslo").await;
        let aiko = house.person("Aiko", RoleName::Reviewer).await;
        let mut mia = signed_in(house, "Mia", RoleName::Reviewer).await;
        let mut aikos = Browser::new(house);
        aikos.signs_in("aiko@example.com").await;
        let at = |verb: &str| format!("/candidates/{id}/{verb}");
        let here = format!("/review?c={id}");
        assert!(mia.get(&here).await.text.contains("Needs a native speaker: Japanese"));

        let long = "x".repeat(1001);
        let page = sent(&mut mia, &at("hand-over"), &[("to", "native"), ("note", &long), ("next", &here)]).await;
        assert!(page.contains(&long) && page.contains("aria-invalid=\"true\""), "what was typed stays");
        let form = [("to", aiko.id.as_str()), ("note", "Is this Tokyo?"), ("next", &here)];
        let page = sent(&mut mia, &at("hand-over"), &form).await;
        for there in ["Handed over", "For Aiko, says Mia", "Is this Tokyo?", "for Aiko"] {
            assert!(page.contains(there), "{there}: {page}");
        }
        let hers = aikos.get("/review?for=me").await.text;
        assert!(hers.contains(">1 waiting") && hers.contains("For you"), "{hers}");
        assert!(mia.get("/review?for=me").await.text.contains("Your filter hides 2 candidates"));
        let page = sent(&mut aikos, &at("take-back"), &[("next", &here)]).await;
        assert!(page.contains("Taken back.") && !page.contains("Is this Tokyo?"), "{page}");
        assert_eq!(mia.post(&at("hand-over"), &[("to", "nobody"), ("next", &here)]).await.status, 303);
        for unknown in ["claim", "release", "hand-over", "take-back"] {
            let path = format!("/candidates/cand_{}/{unknown}", "0".repeat(26));
            assert_eq!(mia.post(&path, &[("to", "native")]).await.status, 404, "{unknown}");
        }
    }
}

story! {
    // F7
    async fn filters_stand_in_the_address_as_chips_and_are_kept_under_a_name(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        for (user, content) in [("ana", "User prefers green tea"), ("bo", "User lives in Oslo"), ("kenji", "ユーザーは東京に住んでいます")] {
            proposed(&agent, user, content).await;
        }
        let mut mia = signed_in(house, "Mia", RoleName::Reviewer).await;
        for (query, rows) in [
            ("text=tea", 1), ("text=東京", 1), ("language=en", 2), ("language=en,ja", 3), ("kind=fact", 3), ("kind=context", 0),
            ("agent=support", 3), ("floor=1", 0), ("soon=1", 0), ("age=24", 0), ("claim=free", 3), ("claim=me", 0), ("for=native", 0),
            ("view=expired", 0), ("flag=no_evidence&language=ja", 1),
        ] {
            let page = mia.get(&format!("/review?{query}")).await;
            assert_eq!(page.status, 200, "{query}: {}", page.text);
            assert_eq!(page.text.matches("<li data-id=").count(), rows, "{query}");
            assert!(page.text.contains("take this filter off") || query == "soon=1", "{query}");
        }
        // What is worked out on reading is no filter: not offered, said over the API, and never read as one that lets everything through.
        let aiko = house.person("Aiko", RoleName::Reviewer).await;
        let aiko = house.person_key(&aiko).await;
        for flag in ["target_moved", "date_passed", "opted_out"] {
            let refused = aiko.get(&format!("/candidates?flag={flag}")).await;
            assert_eq!(refused.problem(422), "invalid");
            assert_eq!((&refused.json()["errors"][0]["pointer"], &refused.json()["errors"][0]["code"]), (&json!("/flag"), &json!("worked_out")));
            let many = aiko.post("/bulks", json!({"verdict": "reject", "reason": "wrong", "filter": {"flag": flag}})).await;
            assert_eq!(many.problem(422), "invalid");
            assert_eq!((&many.json()["errors"][0]["pointer"], &many.json()["errors"][0]["code"]), (&json!("/filter/flag"), &json!("worked_out")));
            let page = mia.get(&format!("/review?flag={flag}")).await;
            assert_eq!((page.status, page.text.matches("<li data-id=").count()), (200, 0));
            assert!(page.text.contains("Your filter hides 3 candidates"), "{}", page.text);
            let asks = mia.get(&format!("/review/bulk?verdict=reject&flag={flag}")).await;
            assert!(asks.text.contains("Nothing matches this filter"), "{}", asks.text);
            assert!(!page.text.contains(&format!("value=\"{flag}\"")), "{flag}");
        }
        assert!(mia.get("/review").await.text.contains("value=\"contradiction\""));
        let page = mia.get("/review?text=tea").await.text;
        assert!(page.contains("With “tea”") && page.contains("name=\"pick\" value=\"cand_"), "{page}");
        assert!(mia.get("/review?view=expired").await.text.contains("Nothing expired unseen"));
        house.clock.advance(Span::days(8));
        house.engine.tick().await.unwrap();
        mia.signs_in("mia@example.com").await;
        let unseen = mia.get("/review?view=expired&text=tea").await.text;
        assert_eq!(unseen.matches("<li data-id=").count(), 1, "{unseen}");

        let form = [("name", "Tea"), ("query", "text=tea&c=x"), ("next", "/review?text=tea")];
        let page = sent(&mut mia, "/review/views", &form).await;
        assert!(page.contains("Saved as “Tea”") && page.contains("href=\"/review?text=tea\""), "{page}");
        let page = sent(&mut mia, "/review/views", &form).await;
        assert!(page.contains("This name is taken."), "{page}");
        let (_, rest) = page.split_once("action=\"/review/views/view_").unwrap();
        let view = format!("/review/views/view_{}", rest.split_once('/').unwrap().0);
        let page = sent(&mut mia, &format!("{view}/rename"), &[("name", "Green"), ("next", "/review")]).await;
        assert!(page.contains("Renamed") && page.contains("Remove “Green”"), "{page}");
        let palette = mia.get("/users").await.text;
        assert!(palette.contains("data-href=\"/review?text=tea\"") && palette.contains("data-href=\"/review?agent=support\""), "{palette}");
        let mut other = signed_in(house, "Bo", RoleName::Reviewer).await;
        assert!(!other.get("/review").await.text.contains("Green"));
        assert_eq!(other.post(&format!("{view}/remove"), &[]).await.status, 404);
        let page = sent(&mut mia, &format!("{view}/remove"), &[("next", "/review")]).await;
        assert!(page.contains("The view is removed") && !page.contains("Green"), "{page}");
    }
}

story! {
    // F7, G7
    async fn all_claimed_by_others_says_until_when_and_a_limited_reviewer_begins_with_their_languages(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let tokyo = proposed(&agent, "ana", "ユーザーは東京に住んでいます").await;
        let oslo = proposed(&agent, "bo", "User lives in Oslo").await;
        let mut ada = signed_in(house, "Ada", RoleName::Admin).await;
        let new = NewPerson { name: "Yuki".into(), email: "yuki@example.com".into(), password: PASSWORD.to_owned().into() };
        let grants = vec![Grant { languages: vec!["ja".into()], ..Grant::everywhere(RoleName::Reviewer) }];
        house.engine.create_person(&House::system(domain::permission::Permission::ManagePeople), new, grants).await.unwrap();
        let mut yuki = Browser::new(house);
        yuki.signs_in("yuki@example.com").await;

        let page = yuki.get("/review").await.text;
        assert!(page.contains(">1 waiting") && page.contains("language=all"), "{page}");
        assert!(yuki.get("/review?language=all").await.text.contains(">2 waiting"));
        assert!(ada.get("/review").await.text.contains(">2 waiting"));
        // The number in the menu is the one that the queue and the front page begin with.
        let in_menu = |page: &str| {
            let (_, rest) = page.split_once("id=\"waiting\"").unwrap();
            rest.split_once('>').unwrap().1.split('<').next().unwrap().to_owned()
        };
        for path in ["/", "/review", "/review?language=all", "/users"] {
            assert_eq!(in_menu(&yuki.get(path).await.text), "1", "{path}");
            assert_eq!(in_menu(&ada.get(path).await.text), "2", "{path}");
        }
        // A figure over all languages leads to a list of them all.
        for path in ["/agents/support", "/agents", "/users"] {
            let page = yuki.get(path).await.text;
            assert!(page.contains("&amp;language=all\""), "{path}: {page}");
        }
        sent(&mut ada, &format!("/candidates/{tokyo}/claim"), &[]).await;
        let page = yuki.get("/review").await.text;
        assert!(page.contains("Others have claimed all of these, until"), "{page}");
        // What is not in their language they neither claim nor decide, and are told so; they hand it over.
        let here = format!("/review?language=all&c={oslo}");
        let page = yuki.get(&here).await.text;
        let (_, pane) = page.split_once("id=\"candidate\"").unwrap();
        for absent in ["/claim\"", "/approve\"", "/reject\""] {
            assert!(!pane.contains(absent), "{absent}: {pane}");
        }
        assert!(pane.contains(&format!("/candidates/{oslo}/hand-over\"")), "{pane}");
        let page = sent(&mut yuki, &format!("/candidates/{oslo}/claim"), &[("next", &here)]).await;
        assert!(page.contains("data-failed") && page.matches("Your role is for content in other languages.").count() == 2, "{page}");
        let handed = sent(&mut yuki, &format!("/candidates/{oslo}/hand-over"), &[("to", "native"), ("next", &here)]).await;
        assert!(handed.contains("Handed over"), "{handed}");
        let page = yuki.get("/review?claim=free&language=ja").await.text;
        assert!(page.contains("1 candidate is claimed by others until") && page.contains("Show them too"), "{page}");
        house.clock.advance(Span::minutes(5));
        assert!(yuki.get("/review?claim=free&language=ja").await.text.contains(">1 waiting"));
    }
}

story! {
    // F7
    async fn a_claim_by_rest_holds_for_keys_and_pages_alike(house: &House) {
        let (support, sales) = (house.agent("support").await, house.agent("sales").await);
        let agent = house.agent_key(&support).await;
        let id = proposed(&agent, "ana", "User lives in Oslo").await;
        let (mia, aiko) = (house.person("Mia", RoleName::Admin).await, house.person("Aiko", RoleName::Admin).await);
        let (mias, aikos) = (house.person_key(&mia).await, house.person_key(&aiko).await);
        let path = format!("/candidates/{id}/claim");
        let claimed = mias.post(&path, json!({})).await.ok(StatusCode::OK);
        assert_described(&claimed, "ClaimView");
        insta::assert_json_snapshot!("claim", redacted(claimed));
        let shown = aikos.get(&format!("/candidates/{id}")).await.ok(StatusCode::OK);
        assert_eq!(shown["claim"]["by"]["name"], "Mia");
        assert_described(&shown, "CandidateDetail");

        let refused = aikos.post(&format!("/candidates/{id}/reject"), json!({"reason": "wrong"})).await;
        assert_eq!(refused.problem(409), "claimed");
        let document: Value = refused.json();
        assert!(document["detail"].as_str().unwrap().starts_with("Mia has claimed this until 20"), "{document}");
        assert_eq!(document["current"]["id"], id);
        assert_eq!(aikos.post(&path, json!({})).await.problem(409), "claimed");
        assert_eq!(aikos.call(Method::DELETE, &path, &[], None).await.problem(409), "claimed");
        assert_eq!(agent.post(&path, json!({})).await.problem(403), "forbidden");
        let elsewhere = house.key(Some(&sales), Some(&aiko), domain::key::KeyScope::ALL).await;
        assert_eq!(elsewhere.post(&path, json!({})).await.problem(404), "not_found");
        assert_eq!(elsewhere.call(Method::DELETE, &path, &[], None).await.problem(404), "not_found");

        assert_eq!(mias.call(Method::DELETE, &path, &[], None).await.status, 204);
        assert_eq!(mias.call(Method::DELETE, &path, &[], None).await.status, 204, "twice is well");
        aikos.post(&format!("/candidates/{id}/reject"), json!({"reason": "wrong"})).await.ok(StatusCode::OK);
        assert_eq!(mias.post(&path, json!({})).await.problem(412), "already_decided");
        let verified = mias.get("/audit/verify").await.ok(StatusCode::OK);
        assert_eq!(verified["ok"], true);
    }
}

story! {
    // F7, E2
    async fn the_list_over_the_api_has_the_filters_of_the_page(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mut ids = Vec::new();
        for (user, content) in [("ana", "User prefers green tea"), ("bo", "User lives in Oslo"), ("kenji", "ユーザーは東京に住んでいます")] {
            ids.push(proposed(&agent, user, content).await);
        }
        let (mia, aiko) = (house.person("Mia", RoleName::Admin).await, house.person("Aiko", RoleName::Admin).await);
        let (mias, aikos) = (house.person_key(&mia).await, house.person_key(&aiko).await);
        let rows = async |key: &Api<'_>, query: &str| -> usize {
            let list = key.get(&format!("/candidates?{query}")).await.ok(StatusCode::OK);
            list["data"].as_array().unwrap().len()
        };
        for (query, count) in [
            ("text=tea", 1), ("text=東京", 1), ("text=coffee", 0), ("language=en", 2), ("language=en,ja", 3), ("language=zh,ja", 1),
            ("waiting_longer_than_hours=24", 0), ("claim=free", 3), ("claim=me", 0), ("handed_to=native", 0), ("handed_to=me", 0),
            ("agent=support&scope=%7B%22user_id%22%3A%22ana%22%7D", 1), ("expired_unseen=true", 0), ("expired_unseen=false", 3),
        ] {
            assert_eq!(rows(&mias, query).await, count, "{query}");
        }
        for (query, pointer) in [
            ("handed_to=somebody", "/handed_to"), ("claim=nobody", "/claim"), ("scope=ana", "/scope"), ("waiting_longer_than_hours=-1", "/waiting_longer_than_hours"),
            ("expired_unseen=true&status=pending", "/status"), ("user_id=ana&scope=%7B%22user_id%22%3A%22ana%22%7D&agent=support", "/scope"),
        ] {
            let refused = mias.get(&format!("/candidates?{query}")).await;
            assert_eq!(refused.problem(422), "invalid", "{query}");
            assert_eq!(refused.json()["errors"][0]["pointer"], pointer, "{query}");
        }

        mias.post(&format!("/candidates/{}/claim", ids[0]), json!({})).await.ok(StatusCode::OK);
        assert_eq!((rows(&mias, "claim=me").await, rows(&mias, "claim=free").await, rows(&aikos, "claim=free").await), (1, 3, 2));
        let to_her = json!({"to": aiko.id, "note": "Is this Oslo?"});
        mias.post(&format!("/candidates/{}/hand-over", ids[1]), to_her).await.ok(StatusCode::OK);
        let to = format!("handed_to={}", aiko.id);
        assert_eq!((rows(&aikos, "handed_to=me").await, rows(&mias, &to).await, rows(&mias, "handed_to=me").await), (1, 1, 0));
        house.clock.advance(Span::hours(25));
        assert_eq!(rows(&mias, "waiting_longer_than_hours=24").await, 3);
        house.clock.advance(Span::days(8));
        house.engine.tick().await.unwrap();
        assert_eq!((rows(&mias, "expired_unseen=true").await, rows(&mias, "status=pending").await), (3, 0));
    }

    // G10, F7
    async fn candidates_are_handed_over_and_taken_over_with_persons_keys(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let id = proposed(&agent, "ana", "User lives in Oslo").await;
        let (mia, aiko) = (house.person("Mia", RoleName::Reviewer).await, house.person("Aiko", RoleName::Admin).await);
        let (mias, aikos) = (house.person_key(&mia).await, house.person_key(&aiko).await);
        let (over, take) = (format!("/candidates/{id}/hand-over"), format!("/candidates/{id}/take-over"));
        for (body, code) in [
            (json!({"to": "somebody"}), "invalid"),
            (json!({"to": mia.id}), "yourself"),
            (json!({"to": format!("per_{}", "0".repeat(26))}), "unknown"),
            (json!({}), "required"),
        ] {
            let refused = mias.post(&over, body).await;
            assert_eq!(refused.problem(422), "invalid");
            assert_eq!((&refused.json()["errors"][0]["pointer"], &refused.json()["errors"][0]["code"]), (&json!("/to"), &json!(code)));
        }
        let handed = mias.post(&over, json!({"to": aiko.id, "note": "Is this Oslo?"})).await.ok(StatusCode::OK);
        assert_described(&handed, "CandidateView");
        let waits = &handed["handover"];
        assert_eq!((&waits["to"]["name"], &waits["by"]["name"], &waits["note"]), (&json!("Aiko"), &json!("Mia"), &json!("Is this Oslo?")));
        let native = aikos.post(&over, json!({"to": "native"})).await.ok(StatusCode::OK);
        assert_eq!((&native["handover"]["to"], native["handover"].get("note")), (&json!(null), Some(&json!(null))));
        assert_eq!(mias.call(Method::DELETE, &over, &[], None).await.status, 204);
        let shown = mias.get(&format!("/candidates/{id}")).await.ok(StatusCode::OK);
        assert_eq!(shown.get("handover"), None);

        mias.post(&format!("/candidates/{id}/claim"), json!({})).await.ok(StatusCode::OK);
        assert_eq!(aikos.post(&over, json!({"to": "native"})).await.problem(409), "claimed");
        let taken = aikos.post(&take, json!({})).await.ok(StatusCode::OK);
        assert_described(&taken, "ClaimView");
        assert_eq!(taken["by"]["name"], "Aiko");
        assert_eq!(mias.post(&take, json!({})).await.problem(403), "forbidden", "only an administrator takes over");
        assert_eq!(agent.post(&take, json!({})).await.problem(403), "forbidden");
        assert_eq!(agent.post(&over, json!({"to": "native"})).await.problem(403), "forbidden");
    }

    // F7
    async fn views_are_kept_renamed_and_removed_with_a_persons_key(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mut mia = signed_in(house, "Mia", RoleName::Reviewer).await;
        let aiko = house.person("Aiko", RoleName::Reviewer).await;
        let aikos = house.person_key(&aiko).await;
        let (mias, narrow, reads) = {
            let people = house.engine.people(&House::system(domain::permission::Permission::ManagePeople)).await.unwrap();
            let view = people.into_iter().find(|person| person.name == "Mia").unwrap();
            (
                house.person_key(&view).await,
                house.key(Some(&support), Some(&view), domain::key::KeyScope::ALL).await,
                house.key(None, Some(&view), &[domain::key::KeyScope::CandidatesRead]).await,
            )
        };
        let post = json!({"name": "Urgent", "query": "kind=fact&language=ja"});
        let made = mias.post("/views", post.clone()).await.ok(StatusCode::CREATED);
        assert_described(&made, "SavedView");
        assert_eq!((&made["name"], &made["query"]), (&json!("Urgent"), &json!("kind=fact&language=ja")));
        assert_eq!(mias.get("/views").await.ok(StatusCode::OK), json!({"data": [made], "next": null}));
        assert!(mia.get("/review").await.text.contains("Urgent"), "the dashboard has it too");
        assert_eq!(mias.post("/views", post.clone()).await.problem(409), "name_taken");
        for (query, code) in [("kind=fact&sort=newest", "unknown"), ("", "length"), (&"x".repeat(2_001), "length")] {
            let refused = mias.post("/views", json!({"name": "Odd", "query": query})).await;
            assert_eq!(refused.problem(422), "invalid");
            assert_eq!((&refused.json()["errors"][0]["pointer"], &refused.json()["errors"][0]["code"]), (&json!("/query"), &json!(code)));
        }
        let here = format!("/views/{}", made["id"].as_str().unwrap());
        let renamed = mias.call(Method::PATCH, &here, &[], Some(json!({"name": "Japanese"}))).await.ok(StatusCode::OK);
        assert_eq!((&renamed["name"], &renamed["query"]), (&json!("Japanese"), &made["query"]));

        // What is somebody's own does not exist for anybody else.
        assert_eq!(aikos.get("/views").await.ok(StatusCode::OK)["data"], json!([]));
        assert_eq!(aikos.call(Method::PATCH, &here, &[], Some(json!({"name": "Mine"}))).await.problem(404), "not_found");
        assert_eq!(aikos.call(Method::DELETE, &here, &[], None).await.problem(404), "not_found");
        assert_eq!(agent.get("/views").await.problem(403), "forbidden");

        // A key of one agent reaches what shows this agent alone.
        assert_eq!(narrow.get("/views").await.ok(StatusCode::OK)["data"], json!([]));
        assert_eq!(narrow.call(Method::PATCH, &here, &[], Some(json!({"name": "Mine"}))).await.problem(404), "not_found");
        assert_eq!(narrow.call(Method::DELETE, &here, &[], None).await.problem(404), "not_found");
        for query in ["kind=fact", "agent=sales&kind=fact"] {
            let refused = narrow.post("/views", json!({"name": "Wide", "query": query})).await;
            assert_eq!(refused.problem(422), "invalid");
            assert_eq!(refused.json()["errors"][0]["pointer"], "/query", "{query}");
        }
        let own = json!({"name": "Of support", "query": "agent=support"});
        let own = narrow.post("/views", own).await.ok(StatusCode::CREATED);
        assert_eq!(narrow.get("/views").await.ok(StatusCode::OK)["data"], json!([own]));
        assert_eq!(mias.get("/views").await.ok(StatusCode::OK)["data"].as_array().unwrap().len(), 2);

        // A key that only reads changes nothing.
        let own = format!("/views/{}", own["id"].as_str().unwrap());
        assert_eq!(reads.get("/views").await.ok(StatusCode::OK)["data"].as_array().unwrap().len(), 2);
        assert_eq!(reads.post("/views", post.clone()).await.problem(403), "forbidden");
        assert_eq!(reads.call(Method::PATCH, &own, &[], Some(json!({"name": "Mine"}))).await.problem(403), "forbidden");
        assert_eq!(reads.call(Method::DELETE, &own, &[], None).await.problem(403), "forbidden");
        assert_eq!(narrow.call(Method::PATCH, &own, &[], Some(json!({"name": "Ours"}))).await.ok(StatusCode::OK)["name"], "Ours");
        assert_eq!(narrow.call(Method::DELETE, &own, &[], None).await.status, 204);

        assert_eq!(mias.call(Method::DELETE, &here, &[], None).await.status, 204);
        assert_eq!(mias.get("/views").await.ok(StatusCode::OK)["data"], json!([]));
    }
}
