//! The net under every handler.

use axum::{Router, middleware, routing::get};
use server::{http::request, state::AppState};
use store::testing::TestDb;

use crate::house::{Answer, story};

story! {
    async fn a_panic_is_a_problem_without_a_word_on_why(house: &House) {
        let public = server::config::PublicUrl::new("", "127.0.0.1:1".parse().unwrap()).unwrap();
        let entropy = std::sync::Arc::new(engine::OsEntropy);
        let app = AppState::new(house.engine.clone(), crate::house::settings(), public, entropy);
        let router: Router = Router::new()
            .route("/breaks", get(|| async { if true { panic!("the reason") } }))
            .layer(middleware::from_fn_with_state(app.clone(), request::around))
            .with_state(app);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move { axum::serve(listener, router).await });
        let answer = house.http.get(format!("http://{address}/breaks")).send().await.unwrap();
        let answer = Answer::of(answer).await;
        assert_eq!(answer.problem(500), "internal");
        assert!(!answer.text.contains("the reason"));
        serving.abort();
    }
}
