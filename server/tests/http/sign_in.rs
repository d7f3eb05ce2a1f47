//! Setup, sign-in and sign-out over the pages: cookies, origins, headers.

use domain::{permission::RoleName, time::Span};
use reqwest::Method;
use store::testing::TestDb;

use crate::house::{Answer, House, PASSWORD, story};

/// A browser: it sends what browsers send, and keeps one cookie.
pub struct Browser<'a> {
    house: &'a House,
    cookie: String,
}

impl Browser<'_> {
    pub fn new(house: &House) -> Browser<'_> {
        Browser {
            house,
            cookie: String::new(),
        }
    }

    pub async fn go(
        &mut self,
        method: Method,
        path: &str,
        site: &str,
        form: &[(&str, &str)],
    ) -> Answer {
        let mut request = self
            .house
            .http
            .request(method.clone(), format!("{}{path}", self.house.url))
            .header("sec-fetch-site", site);
        if !self.cookie.is_empty() {
            request = request.header("cookie", &self.cookie);
        }
        if method == Method::POST {
            request = request.form(form);
        }
        let answer = Answer::of(request.send().await.unwrap()).await;
        for line in answer.headers.get_all("set-cookie") {
            let cookie = line.to_str().unwrap().split(';').next().unwrap();
            self.keep(cookie);
        }
        answer
    }

    /// Keeps a cookie, in the place of one of the same name.
    fn keep(&mut self, cookie: &str) {
        let (name, _) = cookie.split_once('=').unwrap();
        let others = self
            .cookie
            .split("; ")
            .filter(|kept| kept.split_once('=').is_some_and(|(other, _)| other != name));
        let all: Vec<_> = others.chain([cookie]).collect();
        self.cookie = all.join("; ");
    }

    /// An answer that does not end, from where it was heard last.
    pub async fn stream(&self, path: &str, last: Option<&str>) -> reqwest::Response {
        let request = self.house.http.get(format!("{}{path}", self.house.url));
        let mut request = request.header("cookie", &self.cookie);
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        request.send().await.unwrap()
    }

    /// What a page or a form answers, without reading it: a stream of events has no end.
    pub async fn opens(&mut self, method: &Method, path: &str) -> (u16, String) {
        let request = self
            .house
            .http
            .request(method.clone(), format!("{}{path}", self.house.url));
        let request = request
            .header("sec-fetch-site", "same-origin")
            .header("cookie", &self.cookie);
        let request = if method == Method::POST {
            request.form::<[(&str, &str)]>(&[])
        } else {
            request
        };
        let answer = request.send().await.unwrap();
        let to = answer
            .headers()
            .get("location")
            .map(|to| to.to_str().unwrap().to_owned());
        (answer.status().as_u16(), to.unwrap_or_default())
    }

    pub async fn get(&mut self, path: &str) -> Answer {
        self.go(Method::GET, path, "none", &[]).await
    }

    pub async fn post(&mut self, path: &str, form: &[(&str, &str)]) -> Answer {
        self.go(Method::POST, path, "same-origin", form).await
    }

    /// Sends a file with the form of the imports, as a browser does.
    pub async fn uploads(&mut self, path: &str, agent: &str, name: &str, file: &[u8]) -> Answer {
        const BOUNDARY: &str = "----keepsake";
        let head = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"agent\"\r\n\r\n{agent}\r\n\
             --{BOUNDARY}\r\ncontent-disposition: form-data; name=\"format\"\r\n\r\n\r\n\
             --{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             content-type: text/csv\r\n\r\n"
        );
        let tail = format!("\r\n--{BOUNDARY}--\r\n");
        let body = [head.as_bytes(), file, tail.as_bytes()].concat();
        let request = self
            .house
            .http
            .post(format!("{}{path}", self.house.url))
            .header("sec-fetch-site", "same-origin")
            .header("cookie", &self.cookie)
            .header(
                "content-type",
                format!("multipart/form-data; boundary={BOUNDARY}"),
            )
            .body(body);
        Answer::of(request.send().await.unwrap()).await
    }

    pub async fn signs_in(&mut self, email: &str) -> Answer {
        self.post(
            "/login",
            &[
                ("email", email),
                ("password", PASSWORD),
                ("next", "/review"),
            ],
        )
        .await
    }
}

story! {
    async fn the_first_administrator_comes_by_a_link_that_works_once(house: &House) {
        let token = house.engine.setup_link().await.unwrap().unwrap();
        let mut mia = Browser::new(house);
        let front = mia.get("/").await.header("location");
        let closed = mia.get(&front).await.text;
        assert!(closed.contains("keepsake serve") && !closed.contains("password"), "{closed}");
        let link = format!("/setup?token={}", token.reveal());
        let page = mia.get(&link).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let form = |password| [("token", token.reveal()), ("name", "Mia"), ("email", "mia@example.com"), ("password", password)];
        let weak = mia.post("/setup", &form("short")).await;
        assert_eq!(weak.status, 303, "{}", weak.text);
        let shown = mia.get(&weak.header("location")).await;
        assert!(shown.text.contains("mia@example.com") && !shown.text.contains("\"short\""), "what was typed stays, the password does not");

        let made = mia.post("/setup", &form(PASSWORD)).await;
        assert_eq!(made.status, 303, "{}", made.text);
        assert_eq!(mia.get("/").await.status, 200);
        let mut other = Browser::new(house);
        let again = other.post("/setup", &form(PASSWORD)).await;
        assert_ne!(again.status, 500);
        for dead in [link.as_str(), "/setup"] {
            let gone = other.get(dead).await;
            assert_eq!(gone.status, 410, "{dead}");
            assert!(gone.text.contains("href=\"/login\""), "{}", gone.text);
        }
        let back = mia.get(&link).await;
        assert_eq!((back.status, back.header("location").as_str()), (303, "/"));
        assert!(house.engine.setup_link().await.unwrap().is_none());
        assert_eq!(other.get("/").await.header("location"), "/login?next=%2F");
        assert!(other.get("/login").await.text.contains("name=\"password\""));
    }
}

story! {
    async fn a_session_is_new_at_sign_in_and_over_at_sign_out(house: &House) {
        house.person("Mia", RoleName::Reviewer).await;
        let mut mia = Browser::new(house);
        let away = mia.get("/review?kind=fact").await;
        assert_eq!((away.status, away.header("location").as_str()), (303, "/login?next=%2Freview%3Fkind%3Dfact"));

        mia.cookie = "keepsake=AAAAAAAAAAAAAAAAAAAAAA".to_owned();
        let planted = mia.cookie.clone();
        let entered = mia.signs_in("mia@example.com").await;
        assert_eq!((entered.status, entered.header("location").as_str()), (303, "/review"), "{}", entered.text);
        let mut cookies = entered.headers.get_all("set-cookie").iter().map(|line| line.to_str().unwrap());
        let set = cookies.find(|line| line.starts_with("keepsake=")).unwrap();
        for rule in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=43200"] {
            assert!(set.contains(rule), "{set}");
        }
        assert!(!set.contains("Secure"), "http on this machine: {set}");
        assert!(!mia.cookie.contains(&planted), "an id known before means nothing afterwards");
        assert_eq!(mia.get("/review").await.status, 200);

        let mut thief = Browser::new(house);
        thief.cookie = mia.cookie.clone();
        let left = mia.post("/logout", &[]).await;
        assert_eq!(left.status, 303, "{}", left.text);
        assert_eq!(thief.get("/review").await.status, 303, "signed out is signed out everywhere");
    }
}

story! {
    // F7
    async fn what_one_typed_too_late_is_shown_to_nobody_else_and_strangers_store_nothing(house: &House) {
        for name in ["Mia", "Noa"] {
            house.person(name, RoleName::Reviewer).await;
        }
        let edit = "/memories/mem_00000000000000000000000000/edit";
        let typed = [("content", "User lives in Bergen, by the harbour")];
        let mut stranger = Browser::new(house);
        assert_eq!(stranger.post(edit, &typed).await.header("location"), "/login");

        // Two people share a browser.
        let mut desk = Browser::new(house);
        desk.signs_in("mia@example.com").await;
        house.clock.advance(Span::minutes(31));
        let too_late = desk.post(edit, &typed).await.header("location");
        let (_, rest) = too_late.split_once("kept=").unwrap_or_else(|| panic!("{too_late}"));
        let kept = rest.split('&').next().unwrap();
        let as_who = |email| [("email", email), ("password", PASSWORD), ("next", "/review"), ("kept", kept)];
        let entered = desk.post("/login", &as_who("noa@example.com")).await;
        assert_eq!(entered.header("location"), "/review", "Noa is shown nothing of Mia's");
        desk.post("/logout", &[]).await;
        let entered = desk.post("/login", &as_who("mia@example.com")).await;
        assert_eq!(entered.header("location"), "/review", "it was thrown away");

        // Whoever has the address of what is kept has nothing of it.
        house.clock.advance(Span::minutes(31));
        let too_late = desk.post(edit, &typed).await.header("location");
        let kept = too_late.split_once("kept=").unwrap().1.split('&').next().unwrap();
        let mut noa = Browser::new(house);
        noa.signs_in("noa@example.com").await;
        let seen = noa.get(&format!("/kept?flash={kept}")).await;
        assert!(seen.status == 200 && !seen.text.contains("Bergen"), "{}", seen.text);

        // A mark that was made up names nobody, and one person's forms are not kept without end.
        let (before, mark) = desk.cookie.split_once("keepsake_last=per_").unwrap();
        assert!(before.is_empty() || before.ends_with("; "), "{before}");
        let (person, proof) = mark.split(';').next().unwrap().split_once('.').unwrap();
        let forged = format!("keepsake_last=per_{person}.{}", "0".repeat(proof.len()));
        stranger.cookie = forged;
        assert_eq!(stranger.post(edit, &typed).await.header("location"), "/login");
        let mut plain = false;
        for _ in 0..200 {
            plain = desk.post(edit, &typed).await.header("location") == "/login";
            if plain {
                break;
            }
        }
        assert!(plain, "every one of 200 was kept");
    }
}

story! {
    async fn a_session_ends_after_half_an_hour_of_nothing_and_after_twelve_hours_of_anything(house: &House) {
        house.person("Mia", RoleName::Reviewer).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;
        house.clock.advance(Span::minutes(29));
        assert_eq!(mia.get("/review").await.status, 200);
        house.clock.advance(Span::minutes(31));
        assert_eq!(mia.get("/review").await.status, 303, "idle");

        mia.cookie.clear();
        mia.signs_in("mia@example.com").await;
        for _ in 0..35 {
            house.clock.advance(Span::minutes(20));
            assert_eq!(mia.get("/review").await.status, 200);
        }
        house.clock.advance(Span::minutes(20));
        assert_eq!(mia.get("/review").await.status, 303, "twelve hours");
    }
}

story! {
    async fn wrong_passwords_and_unknown_people_look_the_same_and_soon_wait(house: &House) {
        house.person("Mia", RoleName::Reviewer).await;
        let mut anyone = Browser::new(house);
        let mut seen = Vec::new();
        for email in ["mia@example.com", "nobody@example.com"] {
            let refused = anyone.post("/login", &[("email", email), ("password", "a wrong password")]).await;
            assert_eq!(refused.status, 303);
            let location = refused.header("location");
            let page = anyone.get(&location).await;
            assert!(!page.text.contains("a wrong password"));
            let alert = page.text.split("role=\"alert\"").nth(1).or(page.text.split("id=\"flash\"").nth(1));
            seen.push(alert.unwrap_or_else(|| panic!("nothing is said: {}", page.text)).split("</").next().unwrap().to_owned());
        }
        assert_eq!(seen[0], seen[1]);
        assert!(anyone.cookie.is_empty() || anyone.get("/review").await.status == 303);
    }
}

story! {
    async fn a_form_of_another_site_does_nothing(house: &House) {
        house.person("Mia", RoleName::Admin).await;
        let mut mia = Browser::new(house);
        mia.signs_in("mia@example.com").await;
        for site in ["cross-site", "same-site"] {
            let foreign = mia.go(Method::POST, "/agents", site, &[("name", "evil")]).await;
            assert_eq!(foreign.status, 403);
        }
        let silent = house.http.post(format!("{}/agents", house.url)).header("cookie", &mia.cookie).form(&[("name", "evil")]).send().await.unwrap();
        assert_eq!(silent.status(), 403, "who says nothing is refused");
        let agents = house.engine.agents(&House::system(domain::permission::Permission::ReadAgents)).await.unwrap();
        assert!(agents.is_empty());
    }
}

story! {
    async fn pages_carry_their_headers_and_a_nonce_of_their_own(house: &House) {
        let mut anyone = Browser::new(house);
        let (first, second) = (anyone.get("/login").await, anyone.get("/login").await);
        let policy = first.header("content-security-policy");
        for rule in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'", "'wasm-unsafe-eval'"] {
            assert!(policy.contains(rule), "{policy}");
        }
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{policy}");
        assert_ne!(policy, second.header("content-security-policy"));
        let nonce = policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap();
        for script in first.text.split("<script").skip(1) {
            assert!(script.split('>').next().unwrap().contains(nonce), "a script without the nonce: {script}");
        }
        assert!(!first.text.contains("style=\""), "inline style");
        for (name, value) in [("x-content-type-options", "nosniff"), ("referrer-policy", "same-origin"), ("cache-control", "no-store")] {
            assert_eq!(first.header(name), value, "{name}");
        }
        assert_eq!(anyone.get("/nothing-here").await.status, 404);
    }
}

story! {
    async fn a_viewer_does_not_decide(house: &House) {
        house.person("Vic", RoleName::Viewer).await;
        let mut vic = Browser::new(house);
        vic.signs_in("vic@example.com").await;
        assert_eq!(vic.get("/review").await.status, 200);
        let path = "/candidates/cand_00000000000000000000000000/approve";
        assert_eq!(vic.post(path, &[]).await.status, 403);
        assert_eq!(vic.post("/agents", &[("name", "x")]).await.status, 403);
    }
}
