//! Shares as bars, and as columns over a scale. The words are HTML beside the picture: they keep their size at every width, and their
//! language its letters.

use leptos::prelude::*;

/// A bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it is of.
    pub name: String,
    /// How long it is, of 1.0.
    pub share: f64,
    /// Its figure, in words.
    pub figure: String,
}

/// The length of a bar or the height of a column, of a hundred.
fn percent(share: f64) -> String {
    format!("{:.1}", share.clamp(0.0, 1.0) * 100.0)
}

/// A bar for each; `title` says what they are of.
pub fn bars(title: &str, bars: &[Bar]) -> AnyView {
    let told: Vec<String> = bars
        .iter()
        .map(|bar| format!("{} {}", bar.name, bar.figure))
        .collect();
    let drawn = bars
        .iter()
        .map(|bar| {
            view! {
                <span>{bar.name.clone()}</span>
                <svg viewBox="0 0 100 8" preserveAspectRatio="none">
                    <rect class="track" width="100" height="8" />
                    <rect class="filled" width=percent(bar.share) height="8" />
                </svg>
                <b>{bar.figure.clone()}</b>
            }
        })
        .collect_view();
    view! {
        <div class="bars" role="img" aria-label=format!("{title}: {}", told.join(", "))>
            {drawn}
        </div>
    }
    .into_any()
}

const WIDTH: f64 = 100.0;
const HEIGHT: f64 = 44.0;

/// Where a column stands: its left edge, its upper edge, its height.
fn column(at: usize, of: usize, share: f64) -> (f64, f64, f64) {
    let step = WIDTH / of.max(1) as f64;
    let height = share.clamp(0.0, 1.0) * HEIGHT;
    (at as f64 * step, HEIGHT - height, height)
}

/// Columns of shares over a scale from 0 to 1, with the line on which each share is its place on the scale; no column where nothing is
/// known. `label` says in words what it shows.
pub fn columns(shares: &[Option<f64>], label: &str) -> AnyView {
    let width = WIDTH / shares.len().max(1) as f64 - 1.0;
    let drawn = shares
        .iter()
        .enumerate()
        .filter_map(|(at, share)| Some(column(at, shares.len(), (*share)?)))
        .map(|(x, y, height)| {
            view! {
                <rect
                    class="filled"
                    x=format!("{:.1}", x + 0.5)
                    y=format!("{y:.1}")
                    width=format!("{width:.1}")
                    height=format!("{height:.1}")
                />
            }
        })
        .collect_view();
    view! {
        <svg class="chart" viewBox=format!("0 0 {WIDTH} {HEIGHT}") role="img" aria-label=label.to_owned()>
            <line class="rule" x1="0" x2=WIDTH.to_string() y1="0" y2="0" />
            <line class="rule" x1="0" x2=WIDTH.to_string() y1=HEIGHT.to_string() y2=HEIGHT.to_string() />
            {drawn}
            <line class="ideal" x1="0" y1=HEIGHT.to_string() x2=WIDTH.to_string() y2="0" />
        </svg>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    // F11
    #[test]
    fn a_column_is_as_high_as_its_share_and_stands_at_its_place() {
        assert_eq!(column(0, 10, 0.0), (0.0, HEIGHT, 0.0));
        assert_eq!(column(9, 10, 1.0), (90.0, 0.0, HEIGHT));
        assert_eq!(column(5, 10, 0.5), (50.0, HEIGHT / 2.0, HEIGHT / 2.0));
        assert_eq!(percent(1.2), "100.0");
    }
}
