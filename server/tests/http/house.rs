//! A whole Keepsake on a free loopback port: a real listener, a real worker with short timers, a real database; only the clock can be
//! moved. Stops on [`House::close`], and says so when something is left.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use domain::{
    Timestamp,
    agent::{AgentName, AgentSettings},
    key::KeyScope,
    permission::{Actor, Grant, Permission, Permit, RoleName},
};
use engine::{
    Clock, Engine, Extractors, ManualClock, NewKey, NewPerson, OsEntropy, PersonView, Settings,
    SystemClock,
};
use reqwest::{Method, StatusCode, header::HeaderMap};
use serde_json::{Value, json};
use server::{
    config::{self, Config, PublicUrl},
    serve::{self, Part},
    state::AppState,
};
use store::testing::TestDb;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

use crate::schema::assert_headers_described;

/// The password of everybody here.
pub const PASSWORD: &str = "seven quiet harbours";

/// A running Keepsake.
pub struct House {
    pub engine: Engine,
    pub clock: Arc<ManualClock>,
    pub url: String,
    pub http: reqwest::Client,
    /// Where exports lie.
    _folder: tempfile::TempDir,
    stop: oneshot::Sender<()>,
    running: JoinHandle<anyhow::Result<()>>,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub async fn of(response: reqwest::Response) -> Self {
        Self {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await.unwrap(),
        }
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// The body of an answer that had to have this status.
    #[track_caller]
    pub fn ok(&self, status: StatusCode) -> Value {
        assert_eq!(self.status, status.as_u16(), "{}", self.text);
        self.json()
    }

    /// The problem's code, of an answer that had to be a problem document with this status.
    #[track_caller]
    pub fn problem(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.header("content-type"), "application/problem+json");
        let document = self.json();
        assert_eq!(document["status"], status);
        assert_eq!(document["request_id"], self.header("x-request-id"));
        for field in ["type", "title", "detail"] {
            assert!(
                document[field]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{field} in {document}"
            );
        }
        document["code"].as_str().unwrap().to_owned()
    }

    pub fn header(&self, name: &str) -> String {
        let value = self.headers.get(name);
        value
            .map(|value| value.to_str().unwrap().to_owned())
            .unwrap_or_default()
    }
}

/// A call with a key.
pub struct Api<'a> {
    pub house: &'a House,
    pub key: String,
}

impl Api<'_> {
    pub async fn call(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> Answer {
        let asked = method.clone();
        let mut request = self
            .house
            .http
            .request(method, format!("{}/api/v1{path}", self.house.url))
            .bearer_auth(&self.key);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = Answer::of(request.send().await.unwrap()).await;
        assert_headers_described(&asked, path, &answer);
        answer
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, &[], None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.call(Method::POST, path, &[], Some(body)).await
    }

    /// One ended conversation of a user, read to its end.
    pub async fn says(&self, user: &str, words: &str) -> Value {
        let body =
            json!({"user_id": user, "end": true, "messages": [{"role": "user", "content": words}]});
        let accepted = self
            .post("/conversations", body)
            .await
            .ok(StatusCode::ACCEPTED);
        self.finished(accepted["operation"].as_str().unwrap()).await
    }

    /// Waits until the worker is done with an operation.
    pub async fn finished(&self, operation: &str) -> Value {
        let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
        loop {
            let view = self
                .get(&format!("/operations/{operation}"))
                .await
                .ok(StatusCode::OK);
            if !matches!(view["state"].as_str(), Some("queued" | "running")) {
                return view;
            }
            assert!(tokio::time::Instant::now() < deadline, "still {view}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// The waiting candidates of a user, oldest first.
    pub async fn waiting(&self, user: &str) -> Vec<Value> {
        let list = self
            .get(&format!(
                "/candidates?status=pending&agent=support&user_id={user}"
            ))
            .await
            .ok(StatusCode::OK);
        list["data"].as_array().unwrap().clone()
    }

    /// The block that an agent would get about a user.
    pub async fn context(&self, user: &str) -> Value {
        self.post("/context", json!({"user_id": user}))
            .await
            .ok(StatusCode::OK)
    }
}

/// Timers for tests.
pub fn timers() -> Settings {
    Settings {
        lease: Duration::from_secs(2),
        heartbeat: Duration::from_millis(200),
        backoff: Duration::from_millis(20),
        poll: Duration::from_millis(50),
        expiry_tick: Duration::from_millis(100),
        servings_flush: Duration::from_millis(20),
        ..Settings::default()
    }
}

/// The default settings, with nothing of this machine's environment.
pub fn settings() -> Config {
    config::load(None, &Default::default()).unwrap()
}

impl House {
    pub async fn open(db: &TestDb) -> Self {
        let mut config = settings();
        // A story asks as fast as it can; that a key may not is told where it is looked at.
        config.limits.burst = 1_000_000.try_into().unwrap();
        Self::with(db, Extractors::builtin(), config).await
    }

    pub async fn with(db: &TestDb, extractors: Extractors, config: Config) -> Self {
        // What goes wrong in the background is told beside the test that failed by it.
        let _ = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::WARN)
            .with_test_writer()
            .try_init();
        // The cookie's own end is counted by the browser's clock, so the story begins now.
        let clock = Arc::new(ManualClock::new(SystemClock.now()));
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::new(
            db.db.clone(),
            clock.clone(),
            Arc::new(OsEntropy),
            extractors,
            Settings {
                exports: Some(folder.path().join("exports")),
                ..timers()
            },
        );
        engine.start().await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address: SocketAddr = listener.local_addr().unwrap();
        let public_url = PublicUrl::new("", address).unwrap();
        let app = AppState::new(engine.clone(), config, public_url, Arc::new(OsEntropy));
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(serve::run(app, listener, Part::AnswersAndWorks, async {
            let _ = stopped.await;
        }));
        Self {
            engine,
            clock,
            url: format!("http://{address}"),
            http: reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .build()
                .unwrap(),
            _folder: folder,
            stop,
            running,
        }
    }

    /// Ends it, and fails if it did not end well.
    pub async fn close(self) {
        let _ = self.stop.send(());
        self.running.await.unwrap().unwrap();
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn system(permission: Permission) -> Permit {
        Permit::ask(Actor::System, permission).unwrap()
    }

    pub async fn agent(&self, name: &str) -> AgentName {
        let name = AgentName::parse(name).unwrap();
        let permit = Self::system(Permission::Administer);
        self.engine
            .create_agent(&permit, name.clone(), AgentSettings::default())
            .await
            .unwrap();
        name
    }

    pub async fn person(&self, name: &str, role: RoleName) -> PersonView {
        self.person_with(name, vec![Grant::everywhere(role)]).await
    }

    pub async fn person_with(&self, name: &str, grants: Vec<Grant>) -> PersonView {
        let new = NewPerson {
            name: name.to_owned(),
            email: format!("{}@example.com", name.to_lowercase()),
            password: PASSWORD.to_owned().into(),
        };
        self.engine
            .create_person(&Self::system(Permission::ManagePeople), new, grants)
            .await
            .unwrap()
    }

    /// A key of an agent, with what agents get.
    pub async fn agent_key(&self, agent: &AgentName) -> Api<'_> {
        self.key(Some(agent), None, KeyScope::OF_AN_AGENT).await
    }

    /// A key of a person for every agent, with everything.
    pub async fn person_key(&self, person: &PersonView) -> Api<'_> {
        self.key(None, Some(person), KeyScope::ALL).await
    }

    pub async fn key(
        &self,
        agent: Option<&AgentName>,
        person: Option<&PersonView>,
        scopes: &[KeyScope],
    ) -> Api<'_> {
        let new = NewKey {
            agent: agent.cloned(),
            scopes: scopes.to_vec(),
            person: person.map(|person| person.id.clone()),
            name: None,
            expires_at: None,
        };
        let (key, _) = self
            .engine
            .create_key(&Self::system(Permission::Administer), new)
            .await
            .unwrap();
        Api {
            house: self,
            key: key.reveal().to_owned(),
        }
    }

    /// A body sent as it is.
    pub async fn raw(
        &self,
        key: &str,
        method: Method,
        path: &str,
        kind: &str,
        body: impl Into<reqwest::Body>,
    ) -> Answer {
        let request = self
            .http
            .request(method, format!("{}/api/v1{path}", self.url))
            .bearer_auth(key)
            .header("content-type", kind)
            .body(body);
        Answer::of(request.send().await.unwrap()).await
    }
}

/// Stories on both databases: `name::sqlite` and `name::postgres`.
macro_rules! story {
    ($($(#[$meta:meta])* async fn $name:ident($house:ident: &House) $body:block)+) => {
        store::both! {$(
            $(#[$meta])*
            async fn $name(db: &TestDb) {
                let house = $crate::house::House::open(db).await;
                {
                    let $house = &house;
                    $body
                }
                house.close().await;
            }
        )+}
    };
}
pub(crate) use story;
