//! Somebody who decides, as their browser and as their scripts do it: a browser sends what browsers send, and keeps the cookies.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use reqwest::header::{ACCEPT_ENCODING, ACCEPT_LANGUAGE, COOKIE, LOCATION, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{RequestBuilder, Response, StatusCode};
use serde_json::json;

use crate::client::Client;

/// For how long a candidate was in view, as the desk tells it with a decision, in milliseconds.
const TOOK: &str = "2500";

/// A person with a key.
pub struct Reviewer {
    http: reqwest::Client,
    url: String,
    email: String,
    cookie: String,
    /// The same person over REST.
    pub api: Client,
}

/// How long a decision took.
#[derive(Debug, Clone, Copy)]
pub struct Decided {
    /// Until it was answered.
    pub answered: Duration,
    /// Until the page was there that the answer of a form leads to.
    pub followed: Option<Duration>,
}

impl Reviewer {
    /// One who is not signed in yet.
    pub fn new(url: &str, email: String, api: Client) -> Result<Self> {
        // Answers are followed by hand, so that they can be timed and looked at.
        let http = reqwest::Client::builder().redirect(Policy::none());
        Ok(Self {
            http: http.build()?,
            url: url.to_owned(),
            email,
            cookie: String::new(),
            api,
        })
    }

    /// Signs in by the form; a session that nobody uses is over after half an hour.
    pub async fn sign_in(&mut self, password: &str) -> Result<()> {
        let form = [
            ("email", self.email.as_str()),
            ("password", password),
            ("next", "/review"),
        ];
        let answer = self.submit("/login", &form).await?;
        let to = leads_to(&answer)?;
        ensure!(to == "/review", "{} was led to {to}", self.email);
        let cookies = answer.headers().get_all(SET_COOKIE).iter();
        let cookies: Vec<&str> = cookies
            .filter_map(|line| line.to_str().ok()?.split(';').next())
            .collect();
        self.cookie = cookies.join("; ");
        Ok(())
    }

    /// A page as text.
    pub async fn page(&self, path: &str) -> Result<String> {
        let page = shown(self.get(path).send().await?)?;
        Ok(page.text().await?)
    }

    /// Loads a page as browsers do: to its end, and compressed.
    pub async fn load(&self, path: &str) -> Result<()> {
        let asked = self
            .get(path)
            .header(ACCEPT_ENCODING, "gzip, deflate, br, zstd");
        shown(asked.send().await?)?.bytes().await?;
        Ok(())
    }

    /// Approves by the form of the desk, and loads what it leads to: the list with the next candidate open.
    pub async fn approve_by_form(&self, id: &str, next: &str) -> Result<Decided> {
        let here = format!("/review?c={id}");
        let next = format!("/review?c={next}");
        let form = [
            ("version", "1"),
            ("next", next.as_str()),
            ("here", here.as_str()),
            ("took", TOOK),
        ];
        let begun = Instant::now();
        let path = format!("/candidates/{id}/approve");
        let answer = self.submit(&path, &form).await?;
        let answered = begun.elapsed();
        let to = leads_to(&answer)?;
        // What is refused leads back to where it was.
        ensure!(to.starts_with(&next), "{path} led to {to}");
        self.load(to).await?;
        Ok(Decided {
            answered,
            followed: Some(begun.elapsed()),
        })
    }

    /// Approves over REST.
    pub async fn approve_by_rest(&self, id: &str) -> Result<Decided> {
        let begun = Instant::now();
        let path = format!("/candidates/{id}/approve");
        let approved = self.api.post(&path, &json!({})).await?;
        let answered = begun.elapsed();
        ensure!(
            approved["status"] == "approved",
            "{path} was answered with {approved}"
        );
        Ok(Decided {
            answered,
            followed: None,
        })
    }

    fn get(&self, path: &str) -> RequestBuilder {
        self.dressed(self.http.get(format!("{}{path}", self.url)))
    }

    /// Sends a form, which is always answered by where to go from there.
    async fn submit(&self, path: &str, form: &[(&str, &str)]) -> Result<Response> {
        let sent = self
            .dressed(self.http.post(format!("{}{path}", self.url)))
            .header("sec-fetch-site", "same-origin")
            .form(form);
        let answer = sent.send().await?;
        let status = answer.status();
        ensure!(status == StatusCode::SEE_OTHER, "{path}: {status}");
        Ok(answer)
    }

    fn dressed(&self, request: RequestBuilder) -> RequestBuilder {
        let request = request.header(ACCEPT_LANGUAGE, "en");
        if self.cookie.is_empty() {
            request
        } else {
            request.header(COOKIE, &self.cookie)
        }
    }
}

/// A page that was asked for; another one, such as the sign-in, is none.
fn shown(page: Response) -> Result<Response> {
    let status = page.status();
    ensure!(status == StatusCode::OK, "{}: {status}", page.url());
    Ok(page)
}

fn leads_to(answer: &Response) -> Result<&str> {
    let to = answer.headers().get(LOCATION);
    Ok(to.context("an answer leads somewhere")?.to_str()?)
}
