//! Values over time as a line, shares as bars, drawn by the server. A chart never stands alone: the table of its values is beside it.

mod bars;

pub use self::bars::{Bar, bars, columns};

use domain::Timestamp;
use leptos::prelude::*;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 150.0;
/// Room for the half of a point at each edge.
const EDGE: f64 = 8.0;

/// A point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// When.
    pub at: Timestamp,
    /// How much.
    pub value: f64,
}

/// Where the points lie in the picture, oldest first as given. All of one value lie in the middle; so do points of one instant.
fn places(points: &[Point]) -> Vec<(f64, f64)> {
    let instant = |point: &Point| point.at.timestamp_micros() as f64;
    let values = points.iter().map(|point| point.value);
    let (low, high) = (
        values.clone().fold(f64::INFINITY, f64::min),
        values.fold(f64::NEG_INFINITY, f64::max),
    );
    let (first, last) = (
        points.iter().map(instant).fold(f64::INFINITY, f64::min),
        points.iter().map(instant).fold(f64::NEG_INFINITY, f64::max),
    );
    let share = |value: f64, low: f64, high: f64| {
        if high > low {
            (value - low) / (high - low)
        } else {
            0.5
        }
    };
    points
        .iter()
        .map(|point| {
            let x = EDGE + share(instant(point), first, last) * (WIDTH - 2.0 * EDGE);
            let y = HEIGHT - EDGE - share(point.value, low, high) * (HEIGHT - 2.0 * EDGE);
            (x, y)
        })
        .collect()
}

/// The line through the points; `label` says in words what it shows.
pub fn line(points: &[Point], label: &str) -> AnyView {
    let places = places(points);
    let trace: Vec<String> = places
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let dots = places
        .iter()
        .map(|(x, y)| view! { <circle class="dot" cx=format!("{x:.1}") cy=format!("{y:.1}") r="4" /> })
        .collect_view();
    let edge = |y: f64| {
        let y = format!("{y:.1}");
        view! { <line class="rule" x1="0" x2=WIDTH.to_string() y1=y.clone() y2=y /> }
    };
    view! {
        <svg class="chart" viewBox=format!("0 0 {WIDTH} {HEIGHT}") role="img" aria-label=label.to_owned()>
            {edge(EDGE)}
            {edge(HEIGHT - EDGE)}
            <polyline class="trace" points=trace.join(" ") />
            {dots}
        </svg>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Span;

    fn points(values: &[f64]) -> Vec<Point> {
        values
            .iter()
            .enumerate()
            .map(|(day, &value)| Point {
                at: Timestamp::UNIX_EPOCH + Span::days(day as i64),
                value,
            })
            .collect()
    }

    // B9
    #[test]
    fn the_highest_is_at_the_top_and_the_newest_at_the_end() {
        let drawn = places(&points(&[2.0, 4.0, 3.0]));
        assert_eq!(drawn[0], (EDGE, HEIGHT - EDGE));
        assert_eq!(drawn[1], (WIDTH / 2.0, EDGE));
        assert_eq!(drawn[2], (WIDTH - EDGE, HEIGHT / 2.0));
    }

    #[test]
    fn one_value_lies_in_the_middle() {
        assert_eq!(places(&points(&[7.0])), [(WIDTH / 2.0, HEIGHT / 2.0)]);
        assert!(
            places(&points(&[7.0, 7.0]))
                .iter()
                .all(|(_, y)| *y == HEIGHT / 2.0)
        );
    }
}
