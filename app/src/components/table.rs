//! Tables of figures: a caption, scopes, and a window that scrolls sideways where it is narrow.

use leptos::prelude::*;

use crate::text::grouped;

/// The head of a column.
#[derive(Debug, Clone, Copy)]
pub enum Head {
    /// Of words.
    Words(&'static str),
    /// Of figures, which stand at the right.
    Figures(&'static str),
    /// Of buttons: named for those who do not see them.
    Buttons(&'static str),
}

/// A row: what it is of, and a cell for each further column.
pub struct Row {
    /// What it is of.
    pub of: AnyView,
    /// The cells.
    pub cells: Vec<AnyView>,
}

/// A count as a cell.
pub fn number(number: i64) -> AnyView {
    grouped(number.unsigned_abs()).into_any()
}

/// Whether a table's caption is seen, or only heard because a heading says the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caption {
    /// Seen.
    Shown,
    /// Heard.
    Heard,
}

/// The table; the first head is of what the rows are of.
pub fn table(caption: &'static str, shown: Caption, heads: &[Head], rows: Vec<Row>) -> AnyView {
    let head = heads
        .iter()
        .map(|head| match *head {
            Head::Words(label) => view! { <th scope="col">{label}</th> }.into_any(),
            Head::Figures(label) => view! {
                <th scope="col" class="num">
                    {label}
                </th>
            }
            .into_any(),
            Head::Buttons(label) => view! {
                <th scope="col">
                    <span class="visually-hidden">{label}</span>
                </th>
            }
            .into_any(),
        })
        .collect_view();
    let class = |head: &Head| matches!(head, Head::Figures(_)).then_some("num");
    let of = heads.first().and_then(class);
    let classes: Vec<_> = heads.iter().skip(1).map(class).collect();
    let rows = rows
        .into_iter()
        .map(|row| {
            let cells = row
                .cells
                .into_iter()
                .zip(&classes)
                .map(|(cell, class)| view! { <td class=*class>{cell}</td> })
                .collect_view();
            let of = match of {
                Some(class) => view! {
                    <th scope="row" class=class>
                        {row.of}
                    </th>
                }
                .into_any(),
                None => view! { <th scope="row">{row.of}</th> }.into_any(),
            };
            view! {
                <tr>
                    {of}
                    {cells}
                </tr>
            }
        })
        .collect_view();
    let hidden = (shown == Caption::Heard).then_some("visually-hidden");
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label=caption>
            <table>
                <caption class=hidden>{caption}</caption>
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
