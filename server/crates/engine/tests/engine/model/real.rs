//! A real model server, where one is at hand: `KEEPSAKE_TEST_MODEL_URL=http://127.0.0.1:18181/v1 cargo test -p engine -- --ignored real`.
//! A tiny model's answers are poor; what is shown is that the whole path holds whatever it says.

use std::time::Duration;

use engine::extractor::{
    Extract, ExtractedState, Retry,
    model::{ModelConfig, ModelExtractor},
};

use super::stub::window;

#[tokio::test]
#[ignore = "needs a model server that speaks the OpenAI format, at KEEPSAKE_TEST_MODEL_URL"]
async fn a_real_model_is_asked_and_what_comes_is_told() {
    let url = std::env::var("KEEPSAKE_TEST_MODEL_URL")
        .expect("KEEPSAKE_TEST_MODEL_URL names a model server");
    let model = std::env::var("KEEPSAKE_TEST_MODEL").unwrap_or_else(|_| "local".to_owned());
    let config = ModelConfig {
        model,
        base_url: Some(url),
        api_key: None,
        timeout: Duration::from_secs(60),
    };
    let extractor = ModelExtractor::new(&config).unwrap();
    let got = extractor
        .extract(&window(&[
            "I prefer code examples in Python rather than pseudocode.",
            "来月製品を公開します。",
        ]))
        .await;
    match got {
        Ok(got) => {
            println!(
                "{:?} {:?} {:?}\n{}",
                got.state,
                got.tokens_in,
                got.tokens_out,
                got.raw.as_deref().unwrap_or_default()
            );
            assert!(
                got.raw.is_some()
                    && (got.drafts.is_empty() || !matches!(got.state, ExtractedState::Failed(_)))
            );
        }
        // A slow machine is too slow for a babbling model: told, and to be tried again.
        Err(error) => assert_eq!((error.code, error.retry), ("timeout", Retry::After(None))),
    }
}
