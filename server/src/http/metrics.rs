//! Figures for Prometheus, on a listener of their own: they name routes and counts, and still nobody outside should read them.

use anyhow::{Context, Result};
use axum::{Router, routing::get};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};

/// Installs the recorder of this process and answers `/metrics` on `listen` until the process ends.
///
/// # Errors
/// The address is wrong or taken.
pub async fn serve(listen: &str) -> Result<()> {
    let seconds = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
    ];
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &seconds)
        .context("set the buckets of the histograms")?
        .install_recorder()
        .context("install the recorder of metrics")?;
    let listener = tokio::net::TcpListener::bind(listen)
        .await
        .with_context(|| format!("listen on {listen} for metrics"))?;
    let router = Router::new().route("/metrics", get(move || async move { handle.render() }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(())
}
