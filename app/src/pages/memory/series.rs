//! The values of a metric over time, or how a pain point came up again and again, as a line and as a table; and how often a thing was
//! said (B9).

use domain::{
    Timestamp,
    id::{ConversationId, MemoryId},
};
use leptos::prelude::*;

use crate::{
    components::{
        chart::{Point, line},
        table::{self, Caption, Head, Row},
        time::{date, date_time},
    },
    shell::Frame,
    text::grouped,
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

/// A message in which a pain point came up.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// In which conversation.
    pub conversation: ConversationId,
    /// When.
    pub at: Timestamp,
}

/// The values, oldest first, and how often it was said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// The values; none of what is no metric.
    pub values: Vec<Value>,
    /// When a pain point came up, oldest first; none of other kinds.
    pub mentions: Vec<Mention>,
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
    let mentions = (series.mentions.len() > 1).then(|| came_up(frame, series));
    (count.is_some() || values.is_some()).then(|| {
        view! {
            <section id="series">
                <h2>{words.series}</h2>
                {count}
                {values}
                {mentions}
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
            let written = |value| {
                Value {
                    value,
                    ..first.clone()
                }
                .words()
            };
            figure(frame, &points, written, &label)
        }
        _ => view! { <p class="quiet">{text.memories.series_mixed}</p> }.into_any(),
    };
    view! {
        {chart}
        {table(frame, values)}
    }
    .into_any()
}

/// The times at which a pain point came up, as a line that rises by one with each.
fn came_up(frame: &Frame, series: &Series) -> AnyView {
    let words = &frame.text().memories;
    let points: Vec<Point> = series
        .mentions
        .iter()
        .zip(1_u32..)
        .map(|(mention, times)| Point {
            at: mention.at,
            value: f64::from(times),
        })
        .collect();
    let label = (words.count)(series.count, series.sessions);
    let heads = [
        Head::Words(words.series_said),
        Head::Figures(words.series_times),
        Head::Words(frame.text().conversation.title),
    ];
    let rows = series.mentions.iter().enumerate().rev();
    let rows = rows.map(|(before, mention)| {
        let conversation = mention.conversation.to_string();
        let href = format!("/conversations/{conversation}");
        Row {
            of: date(frame, mention.at),
            cells: vec![
                grouped(before as u64 + 1).into_any(),
                view! {
                    <a href=href>
                        <code>{conversation}</code>
                    </a>
                }
                .into_any(),
            ],
        }
    });
    view! {
        {figure(frame, &points, |times| times.to_string(), &label)}
        {table::table(words.series, Caption::Heard, &heads, rows.collect())}
    }
    .into_any()
}

fn figure(
    frame: &Frame,
    points: &[Point],
    written: impl Fn(f64) -> String,
    label: &str,
) -> AnyView {
    let text = frame.text();
    let extreme = |pick: fn(f64, f64) -> f64| {
        let value = points.iter().map(|point| point.value).reduce(pick);
        written(value.unwrap_or_default())
    };
    let day = |point: Option<&Point>| point.map(|point| date_time(text, frame.zone, point.at));
    view! {
        <figure class="series">
            <div class="scale" aria-hidden="true">
                <span>{extreme(f64::max)}</span>
                <span>{extreme(f64::min)}</span>
            </div>
            {line(points, label)}
            <div class="span" aria-hidden="true">
                <span>{day(points.first())}</span>
                <span>{day(points.last())}</span>
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
