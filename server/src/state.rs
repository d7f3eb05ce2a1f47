//! What every handler can reach.

use std::sync::Arc;

use axum::extract::FromRef;
use domain::Entropy;
use engine::Engine;
use governor::Quota;
use leptos::config::LeptosOptions;
use tokio::sync::watch;

use crate::{
    config::{Config, PublicUrl},
    http::limit::Limiter,
    pages::MOST_KEPT,
};

/// Cheap to clone.
#[derive(Clone)]
pub struct AppState {
    /// The use cases.
    pub engine: Engine,
    /// The settings.
    pub config: Arc<Config>,
    public_url: Arc<PublicUrl>,
    entropy: Arc<dyn Entropy>,
    limiter: Arc<Limiter>,
    kept_forms: Arc<Limiter>,
    leptos: LeptosOptions,
    stopping: watch::Sender<bool>,
}

impl AppState {
    /// Puts together what the handlers need.
    pub fn new(
        engine: Engine,
        config: Config,
        public_url: PublicUrl,
        entropy: Arc<dyn Entropy>,
    ) -> Self {
        let leptos = LeptosOptions::builder()
            .output_name("keepsake")
            .site_pkg_dir("pkg")
            .build();
        Self {
            limiter: Arc::new(Limiter::new(&config.limits)),
            kept_forms: Arc::new(Limiter::of(Quota::per_hour(MOST_KEPT))),
            engine,
            config: Arc::new(config),
            public_url: Arc::new(public_url),
            entropy,
            leptos,
            stopping: watch::Sender::new(false),
        }
    }

    /// The address people see.
    pub fn public_url(&self) -> &PublicUrl {
        &self.public_url
    }

    /// Tells what would go on for ever that the process ends.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Becomes true when the process ends.
    pub(crate) fn stopped(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    pub(crate) fn entropy(&self) -> &dyn Entropy {
        self.entropy.as_ref()
    }

    pub(crate) fn limiter(&self) -> &Limiter {
        &self.limiter
    }

    /// How many forms are kept that came without a session, by person.
    pub(crate) fn kept_forms(&self) -> &Limiter {
        &self.kept_forms
    }
}

impl FromRef<AppState> for LeptosOptions {
    fn from_ref(app: &AppState) -> Self {
        app.leptos.clone()
    }
}
