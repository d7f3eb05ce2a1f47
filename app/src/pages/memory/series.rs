//! The values of a metric over time, as a line and as a table, and how often a thing was said (B9).

use domain::{Timestamp, id::MemoryId};
use leptos::prelude::*;

use crate::{
    components::{
        chart::{Point, line},
        time::{date, date_time},
    },
    shell::Frame,
};

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// The memory it is of.
    pub memory: MemoryId,
    /// Its revision.
    pub revision: i64,
    /// How much.
    pub value: f64,
    /// In what.
    pub unit: Option<String>,
    /// Of which stretch of time.
    pub period: Option<String>,
    /// When it was said.
    pub at: Timestamp,
}

impl Value {
    fn words(&self) -> String {
        match self.unit.as_deref() {
            None | Some("") => self.value.to_string(),
            Some(unit) => format!("{} {unit}", self.value),
        }
    }
}

/// The values, oldest first, and how often it was said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// The values; none of what is no metric.
    pub values: Vec<Value>,
    /// How often it was said.
    pub count: u64,
    /// In how many sessions.
    pub sessions: u64,
}

pub(super) fn series(frame: &Frame, series: &Series) -> Option<AnyView> {
    let text = frame.text();
    let words = &text.memories;
    let count =
        (series.count > 1).then(|| view! { <p>{(words.count)(series.count, series.sessions)}</p> });
    let values = (series.values.len() > 1).then(|| drawn(frame, &series.values));
    (count.is_some() || values.is_some()).then(|| {
        view! {
            <section id="series">
                <h2>{words.series}</h2>
                {count}
                {values}
            </section>
        }
        .into_any()
    })
}

fn drawn(frame: &Frame, values: &[Value]) -> AnyView {
    let text = frame.text();
    let one_unit = values.windows(2).all(|pair| pair[0].unit == pair[1].unit);
    let chart = match (values.first(), values.last()) {
        (Some(first), Some(last)) if one_unit => {
            let label = (text.memories.series_line)(&first.words(), &last.words(), values.len());
            let points: Vec<Point> = values
                .iter()
                .map(|value| Point {
                    at: value.at,
                    value: value.value,
                })
                .collect();
            figure(frame, &points, first, last, &label)
        }
        _ => view! { <p class="quiet">{text.memories.series_mixed}</p> }.into_any(),
    };
    view! {
        {chart}
        {table(frame, values)}
    }
    .into_any()
}

fn figure(frame: &Frame, points: &[Point], first: &Value, last: &Value, label: &str) -> AnyView {
    let text = frame.text();
    let extreme = |pick: fn(f64, f64) -> f64| {
        let value = points.iter().map(|point| point.value).reduce(pick);
        let value = value.unwrap_or_default();
        Value {
            value,
            ..first.clone()
        }
        .words()
    };
    let day = |value: &Value| date_time(text, frame.zone, value.at);
    view! {
        <figure class="series">
            <div class="scale" aria-hidden="true">
                <span>{extreme(f64::max)}</span>
                <span>{extreme(f64::min)}</span>
            </div>
            {line(points, label)}
            <div class="span" aria-hidden="true">
                <span>{day(first)}</span>
                <span>{day(last)}</span>
            </div>
            <figcaption>{label.to_owned()}</figcaption>
        </figure>
    }
    .into_any()
}

fn table(frame: &Frame, values: &[Value]) -> AnyView {
    let text = frame.text();
    let words = &text.memories;
    let rows = values
        .iter()
        .rev()
        .map(|value| {
            view! {
                <tr>
                    <th scope="row">{date(frame, value.at)}</th>
                    <td class="num">{value.words()}</td>
                    <td>{value.period.clone()}</td>
                    <td>
                        <a href=format!("/memories/{}", value.memory)>{(words.revision)(value.revision)}</a>
                    </td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label=words.series>
            <table>
                <caption class="visually-hidden">{words.series}</caption>
                <thead>
                    <tr>
                        <th scope="col">{words.series_said}</th>
                        <th scope="col" class="num">
                            {words.series_value}
                        </th>
                        <th scope="col">{words.series_period}</th>
                        <th scope="col">{words.memory}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
