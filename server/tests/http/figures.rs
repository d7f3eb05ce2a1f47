//! The pages on which the work is looked at: each figure of the first page leads to a list that is as long.

use std::sync::Arc;

use domain::permission::{Grant, RoleName};
use engine::{
    Extractor, Extractors, Provenance,
    extractor::{Extract, ExtractError, Extracted, Retry, Window},
};
use futures::future::BoxFuture;
use reqwest::StatusCode;
use serde_json::json;
use store::testing::TestDb;

use crate::{
    house::{Answer, House, settings, story},
    sign_in::Browser,
};

/// The figures of a page: where each leads, and its number, where it is one.
fn figures(page: &str) -> Vec<(String, String)> {
    let anchors = page.split("<a ").skip(1);
    let figures = anchors.filter_map(|rest| {
        let (tag, inside) = rest.split_once('>')?;
        let href = tag.split_once("href=\"")?.1.split('"').next()?;
        let number = inside.split_once("<b>")?.1.split("</b>").next()?;
        tag.contains("class=\"figure\"")
            .then(|| (href.replace("&amp;", "&"), number.to_owned()))
    });
    figures.collect()
}

/// How many rows the list of a page has.
fn rows(page: &Answer, path: &str) -> usize {
    assert_eq!(page.status, 200, "{path}: {}", page.text);
    let text = &page.text;
    let count = |piece: &str| text.matches(piece).count();
    match path.split(['?', '#']).next().unwrap() {
        "/review" => count("<li data-id=\"cand_"),
        "/decisions" => count("<li><a href=\"/candidates/"),
        "/memories" => count("<li><a href=\"/memories/"),
        "/users" => count("href=\"/users/usr_"),
        "/jobs" => {
            let (_, failed) = text.split_once("id=\"failed\"").unwrap();
            failed
                .split("</section>")
                .next()
                .unwrap()
                .matches("/operations/op_")
                .count()
        }
        other => panic!("{other} is no list"),
    }
}

story! {
    // F11
    async fn each_figure_of_the_first_page_leads_to_a_list_of_as_many(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        house.person("Mia", RoleName::Admin).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;
        for (user, name) in [("ana", "tea"), ("ana", "cake"), ("bo", "rice"), ("cy", "soup"), ("cy", "bread")] {
            let body = json!({"user_id": user, "kind": "preference", "name": name, "content": format!("User prefers fresh {name}")});
            agent.post("/candidates", body).await.ok(StatusCode::CREATED);
        }
        let queue = bo.get("/candidates").await.ok(StatusCode::OK);
        let id = |at: usize| queue["data"][at]["id"].as_str().unwrap().to_owned();
        for at in 0..2 {
            bo.post(&format!("/candidates/{}/approve", id(at)), json!({})).await.ok(StatusCode::OK);
        }
        bo.post(&format!("/candidates/{}/reject", id(2)), json!({"reason": "not_durable"})).await.ok(StatusCode::OK);
        // What stands in a profile is no line of the list of memories (D6), and no part of its figure.
        let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
        bo.post("/agents/support/schemas", json!({"id": "user-profile", "schema": schema})).await.ok(StatusCode::CREATED);
        let field = json!({"user_id": "dee", "kind": "profile_field", "name": "user-profile/city", "content": "Oslo"});
        bo.post("/memories?agent=support", field).await.ok(StatusCode::CREATED);

        let page = mia.get("/").await;
        assert_eq!(page.status, 200, "{}", page.text);
        let found = figures(&page.text);
        assert!(found.len() >= 5, "{found:?}");
        let mut counted = 0;
        for (href, number) in &found {
            let Ok(number) = number.replace(',', "").parse::<usize>() else {
                // How long the oldest has waited leads to the oldest.
                assert!(href.starts_with("/candidates/cand_"), "{href} {number}");
                assert_eq!(mia.get(href).await.status, 200);
                continue;
            };
            let list = mia.get(href).await;
            assert_eq!(rows(&list, href), number, "{href}: {}", list.text);
            counted += 1;
        }
        assert!(counted >= 4, "{found:?}");
        for (href, number) in [("/memories", "2"), ("/users", "4")] {
            assert!(found.contains(&(href.to_owned(), number.to_owned())), "{found:?}");
        }
        // The table by kind: what waits, what was approved, what was rejected.
        let (_, kinds) = page.text.split_once("By kind").unwrap();
        let kinds = kinds.split("</table>").next().unwrap();
        for (part, expected) in [("/review?kind=preference", 2), ("verdict=approve", 2), ("verdict=reject", 1)] {
            let link = kinds.split("<a href=\"").skip(1).find(|link| link.contains(part)).unwrap_or_else(|| panic!("{part} in {kinds}"));
            let (href, rest) = link.split_once('"').unwrap();
            let number = rest.split_once('>').unwrap().1.split('<').next().unwrap();
            assert_eq!(number, expected.to_string(), "{part}");
            let href = href.replace("&amp;", "&");
            assert_eq!(rows(&mia.get(&href).await, &href), expected, "{href}");
        }
    }

    // F11
    async fn the_time_in_view_goes_from_the_form_to_the_figures(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        house.person("Mia", RoleName::Admin).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;
        let mut paths = Vec::new();
        for name in ["tea", "cake", "rice"] {
            let body = json!({"user_id": "ana", "kind": "preference", "name": name, "content": format!("User prefers fresh {name}")});
            let made = agent.post("/candidates", body).await.ok(StatusCode::CREATED);
            paths.push(format!("/candidates/{}", made["candidate"]["id"].as_str().unwrap()));
        }
        assert!(mia.get(&paths[0]).await.text.contains("name=\"took\""));
        let quick = [("version", "1"), ("took", "850")];
        assert_eq!(mia.post(&format!("{}/approve", paths[0]), &quick).await.status, 303);
        let slow = [("version", "1"), ("reason", "wrong"), ("took", "65000")];
        assert_eq!(mia.post(&format!("{}/reject", paths[1]), &slow).await.status, 303);
        // What says no time decides as well, and is not timed.
        let odd = [("version", "1"), ("reason", "wrong"), ("took", "-3")];
        assert_eq!(mia.post(&format!("{}/reject", paths[2]), &odd).await.status, 303);

        let page = mia.get("/quality?days=7").await;
        assert_eq!(page.status, 200, "{}", page.text);
        let (_, people) = page.text.split_once("How people decide").unwrap();
        let row = people.split("<th scope=\"row\">Mia").nth(1).unwrap().split("</tr>").next().unwrap();
        let cells: Vec<_> = row.split("<td").skip(1).map(|cell| cell.split_once('>').unwrap().1.split('<').next().unwrap()).collect();
        assert_eq!(cells, ["3", "2", "50 %"], "{row}");
        assert!(page.text.contains("Junk rate") && page.text.contains("67 %"), "{}", page.text);
        let (_, floors) = page.text.split_once("<section id=\"floors\"").unwrap();
        for language in domain::builtin::Language::ALL {
            let floor = format!("{:.2}", domain::builtin::floor(language));
            assert!(floors.contains(&floor), "{floor}: {floors}");
        }
    }

    // F11
    async fn figures_over_the_api_are_those_of_the_agents_in_reach(house: &House) {
        let support = house.agent("support").await;
        let sales = house.agent("sales").await;
        let agent = house.agent_key(&support).await;
        let bo = house.person("Bo", RoleName::Admin).await;
        let bo = house.person_key(&bo).await;
        let limited = Grant { agent: Some(sales), ..Grant::everywhere(RoleName::Viewer) };
        let vic = house.person_with("Vic", vec![limited]).await;
        let vic = house.person_key(&vic).await;
        let body = json!({"user_id": "ana", "kind": "preference", "name": "tea", "content": "User prefers fresh tea"});
        let made = agent.post("/candidates", body).await.ok(StatusCode::CREATED);
        bo.post(&format!("/candidates/{}/approve", made["candidate"]["id"].as_str().unwrap()), json!({})).await.ok(StatusCode::OK);

        let all = bo.get("/quality?days=7").await.ok(StatusCode::OK);
        assert_eq!((&all["decided"]["approved"], &all["decided"]["acceptance"]), (&json!(1), &json!(1.0)));
        assert_eq!(all["by_kind"][0]["name"], "preference");
        assert_eq!(all["by_confidence"].as_array().unwrap().len(), 10);
        let jobs = bo.get("/jobs?agent=support").await.ok(StatusCode::OK);
        assert_eq!((&jobs["queued"], &jobs["given_up"]), (&json!(0), &json!(0)));

        let own = vic.get("/quality").await.ok(StatusCode::OK);
        assert_eq!(own["decided"]["approved"], 0, "another agent's decisions are nowhere in it");
        for path in ["/quality?agent=support", "/jobs?agent=support"] {
            assert_eq!(vic.get(path).await.problem(404), "not_found");
        }
        assert_eq!(bo.get("/quality?days=1000").await.problem(422), "invalid");
        for path in ["/quality", "/jobs"] {
            assert_eq!(agent.get(path).await.problem(403), "forbidden");
        }
    }

    // F11
    async fn a_span_that_reaches_beyond_all_time_is_refused_or_filters_nothing(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let api = house.person_key(&mia).await;
        let body = json!({"user_id": "ana", "kind": "fact", "content": "User keeps bees"});
        let made = agent.post("/candidates", body).await.ok(StatusCode::CREATED);
        let mut pages = Browser::new(house);
        pages.signs_in("mia@example.com").await;
        for days in ["0", "-1", "91", "9223372036854775807", "-9223372036854775808", "9223372036854775808"] {
            assert_eq!(api.get(&format!("/quality?days={days}")).await.problem(422), "invalid", "{days}");
            for page in ["/quality?days=", "/decisions?span=", "/review?age=", "/review?soon="] {
                assert_eq!(pages.get(&format!("{page}{days}")).await.status, 200, "{page}{days}");
            }
        }
        // Everything expires within half a million years.
        assert_eq!(api.get("/candidates?expiring_within_hours=65536").await.problem(422), "invalid");
        let all = api.get("/candidates?expiring_within_hours=65535").await.ok(StatusCode::OK);
        assert_eq!(all["data"][0]["id"], made["candidate"]["id"]);
    }
}

/// An extractor whose provider does not take the key.
struct Refused;

impl Extract for Refused {
    fn extract<'a>(&'a self, _: &'a Window) -> BoxFuture<'a, Result<Extracted, ExtractError>> {
        let error = ExtractError {
            retry: Retry::Never,
            code: "key_refused",
            raw: None,
            tokens_in: 0,
            tokens_out: 0,
        };
        Box::pin(async move { Err(error) })
    }

    fn provenance(&self) -> Provenance {
        Provenance {
            name: "refused".into(),
            version: "1".into(),
            model: None,
            prompt_version: None,
            schema_version: None,
        }
    }
}

store::both! {
    async fn the_page_of_jobs_says_what_failed_and_tries_it_again(db: &TestDb) {
        let extractors = Extractors::new(Extractor::Custom(Arc::new(Refused)));
        let house = House::with(db, extractors, settings()).await;
        {
            let support = house.agent("support").await;
            let agent = house.agent_key(&support).await;
            house.person("Mia", RoleName::Admin).await;
            house.person("Vic", RoleName::Viewer).await;
            for user in ["ana", "bo"] {
                assert_eq!(agent.says(user, "Hello there").await["state"], "failed");
            }
            let mut vic = Browser::new(&house);
            vic.signs_in("vic@example.com").await;
            let seen = vic.get("/jobs").await;
            assert!(seen.status == 200 && !seen.text.contains("/retry\""), "who only reads is given no form: {}", seen.text);
            assert_eq!(vic.post("/jobs/retry", &[("reason", "key_refused")]).await.status, 403);

            let mut mia = Browser::new(&house);
            mia.signs_in("mia@example.com").await;
            let front = mia.get("/").await.text;
            assert!(figures(&front).contains(&("/jobs#failed".to_owned(), "2".to_owned())), "{front}");
            let page = mia.get("/jobs").await;
            assert_eq!(rows(&page, "/jobs"), 2, "{}", page.text);
            assert!(page.text.contains("does not take the key"), "{}", page.text);
            let end = format!("0.op_{}", "0".repeat(26));
            let past = mia.post("/jobs/retry", &[("reason", "key_refused"), ("after", &end)]).await;
            let told = mia.get(&past.header("location")).await;
            assert!(told.text.contains("0 extractions queued again"), "it goes on from there: {}", told.text);
            let again = mia.post("/jobs/retry", &[("reason", "key_refused")]).await;
            assert_eq!(again.status, 303);
            let told = mia.get(&again.header("location")).await;
            assert!(told.text.contains("2 extractions queued again"), "{}", told.text);
        }
        house.close().await;
    }
}
