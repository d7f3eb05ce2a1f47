//! One process of Keepsake: it answers, and, unless told otherwise, works on jobs.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use anyhow::{Context, Result};
use axum::{Router, extract::DefaultBodyLimit, middleware, routing::get};
use domain::permission::{Actor, Permission, Permit};
use engine::{Engine, Filled, OsEntropy};
use tokio::{net::TcpListener, sync::watch};
use tower_http::compression::CompressionLayer;

use crate::{
    api, auth, compat, compose,
    config::{Config, PublicUrl},
    http::{BODY_LIMIT, assets, browser, health, metrics, nul, origin, request},
    mcp,
    page_error::PageError,
    pages,
    state::AppState,
};

/// How long open requests may take after the process was asked to end.
const LAST_ANSWERS: Duration = Duration::from_secs(10);

/// What this process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Answers requests and works on jobs.
    AnswersAndWorks,
    /// Answers requests; others work.
    Answers,
}

/// Runs until `stop`; with `demo` it fills the agent with made-up people first.
///
/// # Errors
/// The configuration, the database or the address does not allow it; an agent named `demo` is the installation's own.
pub async fn serve<F: Future<Output = ()>>(
    config: Config,
    part: Part,
    demo: bool,
    stop: impl FnOnce() -> F,
) -> Result<()> {
    if !config.metrics.listen.is_empty() {
        metrics::serve(&config.metrics.listen).await?;
    }
    let engine = compose::engine(&config).await?;
    // Before anything is served: whatever waited while Keepsake was down gets that time back (A6).
    engine.start().await?;
    if demo {
        let permit = Permit::ask(Actor::System, Permission::Administer);
        let permit = permit.context("the system may do everything")?;
        let filled = engine.fill_demo(&permit).await.context(
            "fill the demo in (an agent named demo that is your own keeps its name: start without --demo)",
        )?;
        if filled == Filled::Underway {
            tracing::warn!(
                "the demo is being filled in, or was half a minute ago; start again to complete it"
            );
        }
    }
    let listener = TcpListener::bind(config.listen).await.with_context(|| {
        let listen = config.listen;
        format!("listen on {listen} (KEEPSAKE_LISTEN names another address)")
    })?;
    let address = listener.local_addr()?;
    let public_url = PublicUrl::new(&config.public_url, address)?;
    let app = AppState::new(engine, config, public_url, Arc::new(OsEntropy));
    // Whoever reads the greeting may ask to stop; before it, asking ends the process at once.
    let stop = stop();
    greet(&app, address).await?;
    run(app, listener, part, stop).await
}

/// Answers on `listener`, and works, until `stop`; then ends what is open and writes what is not written.
///
/// # Errors
/// The listener or the last write fails.
pub async fn run(
    app: AppState,
    listener: TcpListener,
    part: Part,
    stop: impl Future<Output = ()>,
) -> Result<()> {
    // Leptos takes the executor that was set first; that it is set already is no error.
    let _ = any_spawner::Executor::init_tokio();
    let stopped = app.stopped();
    let engine = app.engine.clone();
    let background = tokio::spawn(background(engine.clone(), part, stopped.clone()));
    let service = router(app.clone()).into_make_service_with_connect_info::<SocketAddr>();
    let answers = axum::serve(listener, service).with_graceful_shutdown(told(stopped));
    let mut answers = std::pin::pin!(answers.into_future());
    let ended = tokio::select! {
        () = stop => None,
        ended = &mut answers => Some(ended),
    };
    app.stop();
    let ended = match ended {
        Some(ended) => Ok(ended),
        None => tokio::time::timeout(LAST_ANSWERS, &mut answers).await,
    };
    match ended {
        Ok(ended) => ended.context("the listener")?,
        Err(_) => tracing::warn!("requests were still open at the end"),
    }
    background.await.context("the background work")?;
    engine.flush().await?;
    engine.db().close().await;
    Ok(())
}

async fn background(engine: Engine, part: Part, stopped: watch::Receiver<bool>) {
    match part {
        Part::AnswersAndWorks => engine.run(told(stopped)).await,
        Part::Answers => engine.keep_alive(told(stopped)).await,
    }
}

async fn told(mut stopped: watch::Receiver<bool>) {
    // The sender only goes away with the process.
    let _ = stopped.wait_for(|&stop| stop).await;
}

/// Says on stdout where to go. The setup link is a secret for an hour, so it is not in the log.
async fn greet(app: &AppState, address: SocketAddr) -> Result<()> {
    println!("Keepsake listens on http://{address}");
    if !app.public_url().takes_sign_in() {
        eprintln!(
            "Nobody can sign in at {}: it is plain http and not this machine. Set KEEPSAKE_PUBLIC_URL to an https address.",
            app.public_url().origin()
        );
    }
    if let Some(token) = app.engine.setup_link().await? {
        let link = app
            .public_url()
            .at(&format!("/setup?token={}", token.reveal()));
        println!("Make the first administrator within an hour: {link}");
    }
    Ok(())
}

/// Everything that is answered.
pub fn router(app: AppState) -> Router {
    let pages = pages::router()
        .fallback(|| async { PageError::of_status(axum::http::StatusCode::NOT_FOUND) })
        .layer(middleware::from_fn(nul::no_nul))
        .layer(middleware::from_fn_with_state(app.clone(), pages::dress))
        .layer(middleware::from_fn_with_state(app.clone(), pages::keep))
        .layer(auth::sessions(&app))
        .layer(middleware::from_fn_with_state(
            app.clone(),
            origin::same_origin,
        ))
        .layer(middleware::from_fn_with_state(
            app.clone(),
            browser::page_headers,
        ));
    let health = Router::new()
        .route("/livez", get(health::livez))
        .route("/readyz", get(health::readyz));
    let files = Router::new()
        .route("/pkg/{*path}", get(assets::file))
        .route("/assets/{*path}", get(assets::file));
    api::router(&app)
        .merge(compat::router(&app))
        .merge(mcp::router(&app))
        .merge(health)
        .merge(files)
        .merge(pages)
        .layer(CompressionLayer::new())
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn_with_state(
            app.clone(),
            browser::every_answer,
        ))
        .layer(middleware::from_fn_with_state(app.clone(), request::around))
        .with_state(app)
}
