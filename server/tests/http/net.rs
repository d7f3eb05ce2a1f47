//! The net under every handler.

use axum::{Router, middleware, routing::get};
use server::{auth, http::request, state::AppState};
use store::testing::TestDb;

use crate::house::{Answer, House, story};

/// What is answered where a handler breaks, to a caller with a key or without one.
async fn broken(house: &House, key: Option<&str>) -> Answer {
    let public = server::config::PublicUrl::new("", "127.0.0.1:1".parse().unwrap()).unwrap();
    let entropy = std::sync::Arc::new(engine::OsEntropy);
    let app = AppState::new(
        house.engine.clone(),
        crate::house::settings(),
        public,
        entropy,
    );
    let breaks = || async {
        if true {
            panic!("the reason")
        }
    };
    let router: Router = Router::new()
        .route("/breaks", get(breaks))
        .layer(middleware::from_fn_with_state(
            app.clone(),
            auth::authenticate,
        ))
        .layer(middleware::from_fn_with_state(app.clone(), request::around))
        .with_state(app);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    let mut request = house.http.get(format!("http://{address}/breaks"));
    if let Some(key) = key {
        request = request.bearer_auth(key);
    }
    let answer = Answer::of(request.send().await.unwrap()).await;
    serving.abort();
    answer
}

story! {
    async fn a_panic_is_a_problem_without_a_word_on_why(house: &House) {
        let support = house.agent("support").await;
        let agent = house.agent_key(&support).await;
        for key in [None, Some(agent.key.as_str())] {
            let answer = broken(house, key).await;
            assert_eq!(answer.problem(500), "internal");
            assert!(!answer.text.contains("the reason"));
            // Whoever has a key is told in this answer, too, what is left for it.
            assert_eq!(answer.header("ratelimit").is_empty(), key.is_none(), "{answer:?}");
        }
    }
}
