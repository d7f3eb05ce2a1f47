//! The second factor over the pages: set up, asked for at the sign-in and before what is grave, reset by an administrator.

use domain::{permission::RoleName, time::Span};
use reqwest::{Method, StatusCode};
use store::testing::TestDb;
use totp_rs::Totp;

use crate::{
    house::{House, PASSWORD, story},
    sign_in::Browser,
};

const PAGE: &str = "/account/second-factor";

/// An app on somebody's phone.
struct App(Totp);

impl App {
    /// The app of whoever has scanned what a page shows.
    fn scans(page: &str) -> Self {
        let (_, rest) = page
            .split_once("href=\"otpauth:")
            .unwrap_or_else(|| panic!("nothing to scan: {page}"));
        let address = rest.split_once('"').unwrap().0.replace("&amp;", "&");
        Self(Totp::from_url(format!("otpauth:{address}")).unwrap())
    }

    fn shows(&self, house: &House) -> String {
        let now = u64::try_from(house.now().timestamp()).unwrap();
        self.0.generate(now).to_string()
    }

    /// A code that it shows at no time near this one.
    fn never_shows(&self, house: &House) -> String {
        let now = u64::try_from(house.now().timestamp()).unwrap();
        let near: Vec<String> = (0..7)
            .map(|step| self.0.generate(now - 90 + step * 30).to_string())
            .collect();
        let mut codes = (0..).map(|code| format!("{code:06}"));
        codes.find(|code| !near.contains(code)).unwrap()
    }
}

/// The recovery codes that a page shows.
fn recovery_codes(page: &str) -> Vec<String> {
    let (_, rest) = page
        .split_once("class=\"codes\"")
        .unwrap_or_else(|| panic!("no codes in {page}"));
    let (list, _) = rest.split_once("</ul>").unwrap();
    let codes = list.split("<code>").skip(1);
    codes
        .map(|code| code.split_once('<').unwrap().0.to_owned())
        .collect()
}

/// The value of a hidden field.
fn hidden<'a>(page: &'a str, name: &str) -> &'a str {
    let (_, rest) = page
        .split_once(&format!("type=\"hidden\" name=\"{name}\" value=\""))
        .unwrap_or_else(|| panic!("no {name} in {page}"));
    rest.split_once('"').unwrap().0
}

/// Sets it up by the page's own forms, and lets the code that did it grow old.
async fn sets_up(house: &House, browser: &mut Browser<'_>) -> (App, Vec<String>) {
    let begun = browser.post(&format!("{PAGE}/begin"), &[]).await;
    let page = browser.get(&begun.header("location")).await.text;
    let app = App::scans(&page);
    let code = app.shows(house);
    let on = browser
        .post(&format!("{PAGE}/enable"), &[("code", code.as_str())])
        .await;
    let page = browser.get(&on.header("location")).await.text;
    house.clock.advance(Span::minutes(2));
    (app, recovery_codes(&page))
}

/// Gives the password, and opens the page that asks for the code.
async fn half(browser: &mut Browser<'_>, email: &str) -> String {
    let asked = browser.signs_in(email).await.header("location");
    assert!(asked.starts_with("/login/code?step="), "{asked}");
    browser.get(&asked).await.text
}

/// Sends the code with what the page of the code holds.
async fn gives(browser: &mut Browser<'_>, page: &str, code: &str) -> String {
    let form = [
        ("step", hidden(page, "step")),
        ("next", hidden(page, "next")),
        ("code", code),
    ];
    browser.post("/login/code", &form).await.header("location")
}

story! {
    async fn it_is_set_up_by_plain_forms_and_asked_for_at_the_next_sign_in(house: &House) {
        house.person("Mia", RoleName::Reviewer).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;
        assert!(mia.get("/account").await.text.contains(&format!("href=\"{PAGE}\"")));
        let off = mia.get(PAGE).await.text;
        assert!(off.contains(&format!("action=\"{PAGE}/begin\"")) && !off.contains("otpauth:"), "{off}");
        for form in ["begin", "enable", "recovery-codes", "disable"] {
            let foreign = mia.go(Method::POST, &format!("{PAGE}/{form}"), "cross-site", &[]).await;
            assert_eq!(foreign.status, 403, "{form}");
        }

        let begun = mia.post(&format!("{PAGE}/begin"), &[]).await;
        let page = mia.get(&begun.header("location")).await.text;
        assert!(page.contains("class=\"qr\"") && page.contains("class=\"secret\"") && !page.contains("data:image/png"), "{page}");
        let app = App::scans(&page);
        let wrong = mia.post(&format!("{PAGE}/enable"), &[("code", app.never_shows(house).as_str())]).await;
        let page = mia.get(&wrong.header("location")).await.text;
        assert!(page.contains("aria-invalid=\"true\"") && page.contains("otpauth:"), "nothing is lost: {page}");
        let mut elsewhere = Browser::new(house);
        assert_eq!(elsewhere.signs_in("mia@example.com").await.header("location"), "/review", "it is not on yet");

        let on = mia.post(&format!("{PAGE}/enable"), &[("code", app.shows(house).as_str())]).await;
        let page = mia.get(&on.header("location")).await.text;
        let codes = recovery_codes(&page);
        assert_eq!(codes.len(), 10);
        let again = mia.get(PAGE).await.text;
        assert!(!again.contains(&codes[0]) && !again.contains("otpauth:"), "shown once: {again}");
        assert_eq!(elsewhere.get("/review").await.status, 303, "who came with the password alone is out");
        assert_eq!(mia.get("/review").await.status, 200);

        house.clock.advance(Span::minutes(2));
        let page = half(&mut elsewhere, "mia@example.com").await;
        assert!(page.contains("action=\"/login/code\"") && page.contains("one-time-code"), "{page}");
        assert_eq!(elsewhere.get("/review").await.status, 303, "there is no session before the code");
        let foreign = elsewhere.go(Method::POST, "/login/code", "cross-site", &[]).await;
        assert_eq!(foreign.status, 403);
        let refused = gives(&mut elsewhere, &page, &app.never_shows(house)).await;
        assert!(refused.starts_with("/login/code?step="), "{refused}");
        let page = elsewhere.get(&refused).await.text;
        assert!(page.contains("data-tone=\"bad\"") && page.contains("This code is not right"), "{page}");
        assert_eq!(gives(&mut elsewhere, &page, &app.shows(house)).await, "/review");
        assert_eq!(elsewhere.get("/review").await.status, 200);

        let mut late = Browser::new(house);
        let used = gives(&mut late, &page, &codes[0]).await;
        assert!(used.starts_with("/login?"), "its token is used up: {used}");
        assert!(late.get(&used).await.text.contains("That sign-in is over"));
        let made_up = late.get("/login/code?step=00&next=%2Fusers").await.header("location");
        assert!(made_up.starts_with("/login?next=%2Fusers&flash="), "{made_up}");
        let page = half(&mut late, "mia@example.com").await;
        assert_eq!(gives(&mut late, &page, &codes[0]).await, "/review");
        let left = late.get(PAGE).await.text;
        assert!(left.contains("9 codes are left"), "{left}");
    }
}

story! {
    async fn a_wrong_password_looks_the_same_with_and_without_a_second_factor(house: &House) {
        for name in ["Mia", "Noa"] {
            house.person(name, RoleName::Reviewer).await;
        }
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;
        sets_up(house, &mut mia).await;
        let mut anyone = Browser::new(house);
        for email in ["mia@example.com", "noa@example.com", "nobody@example.com"] {
            let form = [("email", email), ("password", "a wrong password"), ("next", "/review")];
            let refused = anyone.post("/login", &form).await.header("location");
            assert!(refused.starts_with("/login?next=%2Freview&flash="), "{email}: {refused}");
            assert!(anyone.get(&refused).await.text.contains("E-mail and password do not fit"), "{email}");
        }
    }
}

story! {
    // F7
    async fn what_was_typed_when_the_session_was_over_comes_back_after_the_code(house: &House) {
        house.person("Mia", RoleName::Reviewer).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;
        let (app, _) = sets_up(house, &mut mia).await;
        house.clock.advance(Span::minutes(31));
        let typed = [("content", "User lives in Bergen, by the harbour")];
        let too_late = mia.post("/memories/mem_00000000000000000000000000/edit", &typed).await.header("location");
        let login = mia.get(&too_late).await.text;
        let kept = hidden(&login, "kept").to_owned();
        let form = [("email", "mia@example.com"), ("password", PASSWORD), ("kept", kept.as_str())];
        let asked = mia.post("/login", &form).await.header("location");
        let page = mia.get(&asked).await.text;
        assert!(!page.contains("Bergen"), "not before the code");
        let step = hidden(&page, "step").to_owned();
        assert_eq!(hidden(&page, "kept"), kept);
        let (wrong, right) = (app.never_shows(house), app.shows(house));
        let form = |code| [("step", step.as_str()), ("kept", kept.as_str()), ("code", code)];
        let refused = mia.post("/login/code", &form(wrong.as_str())).await.header("location");
        assert!(refused.contains(&format!("kept={kept}")), "{refused}");
        let entered = mia.post("/login/code", &form(right.as_str())).await.header("location");
        assert!(entered.starts_with("/kept?flash="), "{entered}");
        assert!(mia.get(&entered).await.text.contains("by the harbour"));
    }
}

story! {
    // G7
    async fn what_is_grave_asks_for_password_and_code(house: &House) {
        house.person("Ada", RoleName::Admin).await;
        let mut ada = Browser::new(house);
        ada.signs_in("ada@example.com").await;
        let (app, codes) = sets_up(house, &mut ada).await;
        house.clock.advance(Span::minutes(11));
        let path = format!("{PAGE}/recovery-codes");
        let asked = ada.post(&path, &[]).await.header("location");
        let page = ada.get(&asked).await.text;
        assert!(page.contains(&format!("action=\"{path}\"")), "{page}");
        assert!(page.contains("name=\"confirm_password\"") && page.contains("name=\"confirm_code\""), "{page}");
        let (right, wrong) = (app.shows(house), app.never_shows(house));
        let mut told = Vec::new();
        for (password, code) in [(PASSWORD, wrong.as_str()), ("not the password", right.as_str()), (PASSWORD, "")] {
            let refused = ada.post(&path, &[("confirm_password", password), ("confirm_code", code)]).await.header("location");
            assert!(refused.starts_with("/confirm?flash="), "{refused}");
            let page = ada.get(&refused).await.text;
            let (_, notice) = page.split_once("id=\"flash\"").unwrap_or_else(|| panic!("{page}"));
            told.push(notice.split_once("</").unwrap().0.to_owned());
        }
        assert!(told[0].contains("Password and code do not fit"), "{}", told[0]);
        assert!(told.iter().all(|line| *line == told[0]), "which was wrong is not said: {told:?}");
        let form = [("confirm_password", PASSWORD), ("confirm_code", right.as_str())];
        let done = ada.post(&path, &form).await.header("location");
        let renewed = recovery_codes(&ada.get(&done).await.text);
        assert!(renewed.iter().all(|code| !codes.contains(code)));
        // Fresh again, and by a code of its own: switching off is not asked for anew.
        let off = ada.post(&format!("{PAGE}/disable"), &[]).await.header("location");
        assert!(ada.get(&off).await.text.contains("The second factor is off"));
        let mut later = Browser::new(house);
        assert_eq!(later.signs_in("ada@example.com").await.header("location"), "/review");
    }
}

story! {
    // G7
    async fn an_administrator_resets_that_of_somebody_else_and_they_are_out(house: &House) {
        let mia = house.person("Mia", RoleName::Reviewer).await;
        let root = house.person("Ada", RoleName::Admin).await;
        let (mut browser, mut ada) = (Browser::new(house), Browser::new(house));
        browser.signs_in("mia@example.com").await;
        ada.signs_in("ada@example.com").await;
        let here = format!("/admin/people/{}", mia.id);
        let reset = format!("{here}/second-factor/reset");
        assert!(!ada.get(&here).await.text.contains(&reset), "there is none yet");
        sets_up(house, &mut browser).await;
        sets_up(house, &mut ada).await;
        assert!(ada.get(&here).await.text.contains(&reset));
        let own = ada.get(&format!("/admin/people/{}", root.id)).await.text;
        assert!(!own.contains("second-factor/reset"), "one's own is switched off at one's account");
        assert_eq!(browser.post(&reset, &[]).await.status, 403, "a reviewer resets nobody's");
        assert_eq!(ada.go(Method::POST, &reset, "cross-site", &[]).await.status, 403);
        assert_eq!(browser.get("/review").await.status, 200);

        let done = ada.post(&reset, &[]).await.header("location");
        let page = ada.get(&done).await.text;
        assert!(page.contains("Mia has no second factor any more") && !page.contains(&reset), "{page}");
        assert_eq!(browser.get("/review").await.status, 303, "they are signed out");
        assert_eq!(browser.signs_in("mia@example.com").await.header("location"), "/review");
        let again = ada.post(&reset, &[]).await.header("location");
        assert!(ada.get(&again).await.text.contains("There is no second factor by now"));
        let api = house.person_key(&root).await;
        let told = api.get("/audit/events?agent=system&type=person.second_factor_reset").await.ok(StatusCode::OK);
        assert_eq!(told["data"][0]["subject"], mia.id.as_str(), "{told}");
        assert_eq!(told["data"].as_array().unwrap().len(), 1);
        let listed = api.get("/people").await.ok(StatusCode::OK);
        let since: Vec<bool> = listed["data"].as_array().unwrap().iter().map(|one| one["second_factor_at"].is_string()).collect();
        assert_eq!(since, [false, true], "who has one is listed: {listed}");
    }
}

story! {
    // G7
    async fn a_link_for_another_password_is_no_way_around_the_code(house: &House) {
        let mia = house.person("Mia", RoleName::Reviewer).await;
        house.person("Ada", RoleName::Admin).await;
        let (mut browser, mut ada) = (Browser::new(house), Browser::new(house));
        browser.signs_in("mia@example.com").await;
        let (app, _) = sets_up(house, &mut browser).await;
        ada.signs_in("ada@example.com").await;
        let made = ada.post(&format!("/admin/people/{}/link", mia.id), &[]).await;
        let page = ada.get(&made.header("location")).await.text;
        let (_, token) = page.split_once("/join?token=").unwrap();
        let token = token.split_once('<').unwrap().0;
        let mut thief = Browser::new(house);
        let joined = thief.post("/join", &[("token", token), ("password", "nine patient lanterns")]).await.header("location");
        assert!(joined.starts_with("/login/code?step="), "{joined}");
        assert_eq!(thief.get("/review").await.status, 303);
        let page = thief.get(&joined).await.text;
        assert_eq!(gives(&mut thief, &page, &app.shows(house)).await, "/");
        assert_eq!(thief.get("/review").await.status, 200);
    }
}

story! {
    // G7
    async fn another_password_takes_the_code_too_and_what_was_wrong_is_not_said(house: &House) {
        house.person("Mia", RoleName::Reviewer).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;
        assert!(!mia.get("/account").await.text.contains("one-time-code"), "nothing is asked for that nobody has");
        let (app, codes) = sets_up(house, &mut mia).await;
        assert!(mia.get("/account").await.text.contains("one-time-code"));
        let other = "quiet harbour lantern six";
        let wrong = app.never_shows(house);
        let mut said = Vec::new();
        for (present, code) in [(PASSWORD, wrong.as_str()), ("not the password", codes[0].as_str())] {
            let form = [("present", present), ("code", code), ("password", other)];
            let refused = mia.post("/account/password", &form).await;
            let page = mia.get(&refused.header("location")).await.text;
            assert!(page.contains("Password and code do not fit"), "{page}");
            said.push(page.contains("aria-invalid=\"true\""));
        }
        assert_eq!(said, [false, false], "neither field is marked");
        let form = [("present", PASSWORD), ("code", codes[0].as_str()), ("password", other)];
        let changed = mia.post("/account/password", &form).await;
        assert!(mia.get(&changed.header("location")).await.text.contains("data-tone=\"good\""));
        assert_eq!(mia.get("/review").await.status, 200);
    }
}
