//! What needs a second person, what is recalled, and the digest: over the API and by plain forms.

use domain::{key::KeyScope, permission::RoleName};
use reqwest::{Method, StatusCode};
use serde_json::json;
use store::testing::TestDb;

use crate::{
    house::{Answer, story},
    schema::assert_described,
    sign_in::Browser,
};

/// The page that a form led to.
async fn followed(browser: &mut Browser<'_>, answer: Answer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text);
    let page = browser.get(&answer.header("location")).await;
    assert_eq!(page.status, 200, "{}", page.text);
    page.text
}

/// The value of a hidden field.
fn field(page: &str, name: &str) -> String {
    let (_, rest) = page
        .split_once(&format!("name=\"{name}\" value=\""))
        .unwrap_or_else(|| panic!("no {name} in {page}"));
    rest.split('"').next().unwrap().to_owned()
}

const TEA: &str = "I prefer code examples in Python rather than pseudocode";

story! {
    // G9
    async fn two_keys_of_two_people_approve_and_one_does_not(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        let mia = house.person("Mia", RoleName::Admin).await;
        let aiko = house.person("Aiko", RoleName::Reviewer).await;
        let (mia, aiko) = (house.person_key(&mia).await, house.person_key(&aiko).await);
        let two = json!({"four_eyes": {"kinds": ["preference"], "flags": ["instruction"]}});
        let set = mia.call(Method::PATCH, "/agents/support", &[("if-match", "*")], Some(two)).await.ok(StatusCode::OK);
        assert_eq!(set["four_eyes"], json!({"all": false, "kinds": ["preference"], "flags": ["instruction"]}));
        let odd = json!({"four_eyes": {"kinds": ["mood"]}});
        let odd = mia.call(Method::PATCH, "/agents/support", &[("if-match", "*")], Some(odd)).await;
        assert_eq!(odd.problem(422), "invalid");
        agent.says("ana", TEA).await;
        let candidate = mia.waiting("ana").await.remove(0);
        let path = format!("/candidates/{}", candidate["id"].as_str().unwrap());

        let agreed = mia.post(&format!("{path}/approve"), json!({"content": "User prefers Python"})).await;
        assert_eq!(agreed.header("etag"), "\"2\"");
        let agreed = agreed.ok(StatusCode::OK);
        assert_described(&agreed, "CandidateView");
        assert_eq!((&agreed["status"], &agreed["agreed_by"]["name"]), (&json!("pending"), &json!("Mia")));
        assert_eq!(agreed["agreed_by"]["edit"]["content"], "User prefers Python");
        let again = mia.post(&format!("{path}/approve"), json!({})).await;
        assert_eq!(again.problem(409), "second_person_needed");
        assert_eq!(again.json()["current"]["agreed_by"]["name"], "Mia");
        assert_eq!(agent.context("ana").await["items"], json!([]));

        let approved = aiko.call(Method::POST, &format!("{path}/approve"), &[("if-match", "\"2\"")], Some(json!({}))).await.ok(StatusCode::OK);
        assert_eq!((&approved["status"], &approved["decided_by"]["name"], &approved["agreed_by"]["name"]), (&json!("approved"), &json!("Aiko"), &json!("Mia")));
        assert!(agent.context("ana").await["block"].as_str().unwrap().contains("User prefers Python"));
    }
}

story! {
    // G4
    async fn a_recall_over_the_api_stops_a_memory_and_says_who_was_told(house: &House) {
        let support = house.agent("support").await;
        let sales = house.agent("sales").await;
        let agent = house.agent_key(&support).await;
        let person = house.person("Mia", RoleName::Reviewer).await;
        let mia = house.person_key(&person).await;
        let elsewhere = house.key(Some(&sales), Some(&person), KeyScope::ALL).await;
        agent.says("ana", TEA).await;
        let candidate = mia.waiting("ana").await.remove(0);
        let approved = mia.post(&format!("/candidates/{}/approve", candidate["id"].as_str().unwrap()), json!({})).await.ok(StatusCode::OK);
        let path = format!("/memories/{}/recall", approved["memory"].as_str().unwrap());
        for conversation in ["c-1", "c-2", "c-3", "c-2"] {
            agent.post("/context", json!({"user_id": "ana", "conversation_id": conversation})).await.ok(StatusCode::OK);
        }

        assert_eq!(agent.post(&path, json!({"reason": "wrong"})).await.problem(403), "forbidden");
        assert_eq!(elsewhere.post(&path, json!({"reason": "wrong"})).await.problem(404), "not_found");
        assert_eq!(elsewhere.get(&path).await.problem(404), "not_found");
        assert_eq!(mia.post(&path, json!({})).await.problem(422), "invalid");
        assert_eq!(mia.post(&path, json!({"reason": " "})).await.json()["errors"][0]["pointer"], "/reason");
        let before = mia.get(&path).await.ok(StatusCode::OK);
        assert_eq!((&before["times_told"], before.get("recalled")), (&json!(4), None));

        let recall = mia.post(&path, json!({"reason": "said in jest"})).await.ok(StatusCode::OK);
        assert_described(&recall, "RecallView");
        assert_eq!((&recall["memory"]["status"], &recall["memory"]["reason"]), (&json!("retired"), &json!("recalled")));
        let mut told: Vec<_> = recall["told"].as_array().unwrap().iter().map(|session| (session["conversation"].as_str().unwrap(), session["times"].as_u64().unwrap())).collect();
        told.sort_unstable();
        assert_eq!(told, [("c-1", 1), ("c-2", 2), ("c-3", 1)]);
        assert_eq!((&recall["recalled"]["reason"], &recall["recalled"]["by"]["name"]), (&json!("said in jest"), &json!("Mia")));
        assert_eq!(agent.context("ana").await["items"], json!([]));
        let again = mia.post(&path, json!({"reason": "again"})).await;
        assert_eq!(again.problem(409), "moved_on");
        assert!(again.json()["detail"].as_str().unwrap().contains("restore it first"), "{}", again.text);
    }
}

story! {
    // G9, G4
    async fn by_plain_forms_two_people_agree_and_one_recalls(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        house.person("Mia", RoleName::Admin).await;
        house.person("Aiko", RoleName::Reviewer).await;
        let (mut mia, mut aiko) = (Browser::new(house), Browser::new(house));
        mia.signs_in("mia@example.com").await;
        aiko.signs_in("aiko@example.com").await;

        let page = mia.get("/agents/support").await.text;
        let (_, form) = page.split_once("id=\"four-eyes\"").unwrap();
        let version = field(form, "version");
        let boxes = [("version", version.as_str()), ("four_eyes", "1"), ("four_eyes_kind.preference", "true"), ("four_eyes_flag.instruction", "true")];
        let answer = mia.post("/agents/support/four-eyes", &boxes).await;
        let page = followed(&mut mia, answer).await;
        let (_, form) = page.split_once("id=\"four-eyes\"").unwrap();
        let (form, _) = form.split_once("</form>").unwrap();
        assert_eq!(form.matches(" checked").count(), 2, "{form}");

        agent.says("ana", TEA).await;
        let page = mia.get("/review").await.text;
        let (_, rest) = page.split_once("action=\"/candidates/").unwrap();
        let id = rest.split('/').next().unwrap().to_owned();
        let here = format!("/candidates/{id}");
        let form = |version: &'static str| [("version", version), ("next", "/review"), ("here", "/review")];
        let answer = mia.post(&format!("{here}/approve"), &form("1")).await;
        let page = followed(&mut mia, answer).await;
        assert!(page.contains("You agreed:") && page.contains("agreed by Mia, one more needed"), "{page}");
        assert!(page.contains(&format!("action=\"{here}/reopen\"")), "the toast takes it back");
        let answer = mia.post(&format!("{here}/approve"), &form("2")).await;
        assert!(followed(&mut mia, answer).await.contains("Two different people must agree"));
        // Taken back, and given again.
        let answer = mia.post(&format!("{here}/reopen"), &form("2")).await;
        assert!(followed(&mut mia, answer).await.contains("Your agreement is taken back"));
        let answer = mia.post(&format!("{here}/approve"), &form("3")).await;
        followed(&mut mia, answer).await;
        let page = aiko.get(&here).await.text;
        assert!(page.contains("Agreed by Mia"), "{page}");
        let answer = aiko.post(&format!("{here}/approve"), &form("4")).await;
        assert!(followed(&mut aiko, answer).await.contains("Approved"));
        let page = aiko.get(&here).await.text;
        assert!(page.contains("Agreed before by Mia."), "{page}");
        let (_, rest) = page.split_once("href=\"/memories/").unwrap();
        let memory = format!("/memories/{}", rest.split('"').next().unwrap());

        agent.context("ana").await;
        let page = aiko.get(&memory).await.text;
        assert!(page.contains("told in 1 session (once)"), "{page}");
        let blank = [("revision", "1"), ("reason", " ")];
        let answer = aiko.post(&format!("{memory}/recall"), &blank).await;
        assert!(followed(&mut aiko, answer).await.contains("This is needed."));
        let reason = [("revision", "1"), ("reason", "said in jest")];
        let answer = aiko.post(&format!("{memory}/recall"), &reason).await;
        let page = followed(&mut aiko, answer).await;
        for there in ["Recalled: it is in no context from now on.", "Recalled by Aiko", "said in jest", "Sessions that were told"] {
            assert!(page.contains(there), "{there}: {page}");
        }
        assert!(aiko.get(&here).await.text.contains("The memory was recalled by Aiko"));
        assert_eq!(agent.context("ana").await["items"], json!([]));
    }
}

story! {
    // G8
    async fn a_digest_is_set_by_a_form_and_nothing_that_was_typed_is_lost(house: &House) {
        house.agent("support").await;
        house.person("Mia", RoleName::Reviewer).await;
        house.person("Vi", RoleName::Viewer).await;
        let (mut mia, mut vi) = (Browser::new(house), Browser::new(house));
        mia.signs_in("mia@example.com").await;
        vi.signs_in("vi@example.com").await;
        assert_eq!(vi.get("/account/digest").await.status, 403, "who decides nothing is told of nothing");
        assert!(mia.get("/account").await.text.contains("href=\"/account/digest\""));
        assert!(!vi.get("/account").await.text.contains("href=\"/account/digest\""));

        let form = |url| [("on", "true"), ("hour", "7"), ("zone", "Europe/Oslo"), ("day1", "true"), ("day5", "true"), ("by", "webhook"), ("shape", "teams"), ("url", url)];
        let answer = mia.post("/account/digest", &form("http://10.0.0.1/hook")).await;
        let page = followed(&mut mia, answer).await;
        assert!(page.contains("This address must begin with https://.") && page.contains("http://10.0.0.1/hook"), "{page}");
        assert_eq!(page.matches(" checked").count(), 3, "the switch and two days");
        let answer = mia.post("/account/digest", &form("https://localhost/hook")).await;
        let page = followed(&mut mia, answer).await;
        assert!(page.contains("Saved.") && page.contains("https://localhost/hook"), "{page}");
        let answer = mia.post("/account/digest/test", &[]).await;
        let page = followed(&mut mia, answer).await;
        assert!(page.contains("the address lies inside a private network"), "{page}");
        let mail = [("on", "true"), ("hour", "7"), ("zone", "UTC"), ("day1", "true"), ("by", "mail"), ("shape", "slack"), ("url", "")];
        let answer = mia.post("/account/digest", &mail).await;
        assert!(followed(&mut mia, answer).await.contains("This installation sends no e-mail."));
    }
}
