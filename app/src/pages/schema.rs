//! `/agents/{name}/schemas/{id}` and `/agents/{name}/schemas/new`: a profile schema, with its faults beside the lines (D1).

use domain::Timestamp;
use leptos::prelude::*;

use crate::{
    components::{
        form::{Control, Field, Typed, field},
        source::{Fault, faults},
        time::ago,
    },
    shell::{Frame, page},
    text::Text,
};

/// A field of the schema.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub description: Option<String>,
    /// The values it may take, as words; `None`: any.
    pub values: Option<Vec<String>>,
    /// Whether a new value joins the one that is there.
    pub joins: bool,
    /// Days that a value lives; `None`: as its kind says.
    pub ttl_days: Option<i64>,
}

/// What is stored of a schema.
#[derive(Debug, Clone)]
pub struct Stored {
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: i64,
    /// Its fields.
    pub fields: Vec<Row>,
    /// Approved values that no longer fit it.
    pub misfits: i64,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Page {
    /// The agent.
    pub agent: String,
    /// The schema; `None`: it is yet to be made.
    pub stored: Option<Stored>,
    /// Its text; of a new one, what the form begins with.
    pub source: String,
    /// Whether the reader administers.
    pub may_change: bool,
    /// What is wrong with the text that was typed.
    pub faults: Vec<Fault>,
    /// What was typed into the form that was refused.
    pub typed: Typed,
}

/// The page.
pub fn schema(frame: &Frame, one: &Page) -> AnyView {
    let text = frame.text();
    let words = &text.schemas;
    let title = one
        .stored
        .as_ref()
        .map_or_else(|| words.make.to_owned(), |stored| stored.id.clone());
    let about = match &one.stored {
        None => words.make_lead.to_owned(),
        Some(stored) => {
            let at = ago(text, frame.now, stored.updated_at);
            let version = (words.version)(stored.version);
            format!("{version} · {}", (words.changed)(&at))
        }
    };
    let beside = view! {
        <p class="quiet">
            <a href=format!("/agents/{}#schemas", one.agent)>{one.agent.clone()}</a>
            " · "
            {about}
        </p>
    }
    .into_any();
    let source = one.typed.value("schema", &one.source);
    let editor = if one.may_change {
        editor(text, one)
    } else {
        view! { <pre tabindex="0" lang="en">{one.source.clone()}</pre> }.into_any()
    };
    let stored = one.stored.as_ref();
    let remove = stored.filter(|_| one.may_change);
    let content = view! {
        <div class="letter">
            {stored.map(|stored| misfits(text, stored))}
            {faults(text, &source, &one.faults)}
            {editor}
            {stored.map(|stored| fields(text, stored))}
            {remove.map(|stored| removal(text, one, stored))}
        </div>
    }
    .into_any();
    page(frame, &title, Some(beside), content)
}

fn misfits(text: &'static Text, stored: &Stored) -> AnyView {
    if stored.misfits == 0 {
        return view! { <p class="quiet">{text.schemas.fits}</p> }.into_any();
    }
    view! {
        <div class="callout" data-tone="warn">
            <p>{(text.schemas.misfits)(stored.misfits.unsigned_abs())}</p>
        </div>
    }
    .into_any()
}

fn editor(text: &'static Text, one: &Page) -> AnyView {
    let words = &text.schemas;
    let draw = |one_field: Field<'_>| field(text, "schema", &one.typed, one_field);
    let id = one.stored.is_none().then(|| {
        draw(Field {
            name: "id",
            label: words.id,
            hint: Some(words.id_how),
            value: "",
            control: Control::Line("text", Some("off"), true),
        })
    });
    let source = draw(Field {
        name: "schema",
        label: words.schema,
        hint: Some(words.schema_how),
        value: &one.source,
        control: Control::Code(14),
    });
    let (action, version) = match &one.stored {
        None => (format!("/agents/{}/schemas", one.agent), None),
        Some(stored) => (
            format!("/agents/{}/schemas/{}", one.agent, stored.id),
            Some(stored.version),
        ),
    };
    let version =
        version.map(|version| view! { <input type="hidden" name="version" value=version /> });
    view! {
        <form class="card wide" method="post" action=action>
            {version} {id} {source} <div class="buttons">
                <button class="button primary">{words.save}</button>
            </div>
        </form>
    }
    .into_any()
}

fn fields(text: &'static Text, stored: &Stored) -> AnyView {
    let words = &text.schemas;
    let rows = stored
        .fields
        .iter()
        .map(|row| {
            let lives = row.ttl_days.map_or_else(
                || words.lives_as_kind.to_owned(),
                |days| (text.kinds.days)(days.unsigned_abs()),
            );
            let values = row.values.as_ref().map(|values| values.join(" · "));
            let new = if row.joins {
                words.joins
            } else {
                words.replaces
            };
            view! {
                <tr>
                    <th scope="row">
                        <code>{row.name.clone()}</code>
                    </th>
                    <td lang=written_in(row.description.as_deref())>{row.description.clone()}</td>
                    <td>{values}</td>
                    <td>{new}</td>
                    <td class="short">{lives}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section>
            <h2>{words.fields}</h2>
            <div class="scroll" tabindex="0" role="region" aria-label=words.fields>
                <table>
                    <caption class="visually-hidden">{words.fields}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{words.field}</th>
                            <th scope="col">{words.holds}</th>
                            <th scope="col">{words.values}</th>
                            <th scope="col">{words.new_value}</th>
                            <th scope="col">{words.lives}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

/// The language of what an administrator wrote.
fn written_in(written: Option<&str>) -> Option<String> {
    crate::components::content::lang(domain::text::language(written?))
}

fn removal(text: &'static Text, one: &Page, stored: &Stored) -> AnyView {
    let words = &text.schemas;
    view! {
        <div class="actions">
            <details class="reject">
                <summary class="button danger">{words.remove}</summary>
                <form method="post" action=format!("/agents/{}/schemas/{}/remove", one.agent, stored.id)>
                    <input type="hidden" name="version" value=stored.version />
                    <p>{words.remove_sure}</p>
                    <button class="button danger">{words.remove}</button>
                </form>
            </details>
        </div>
    }
    .into_any()
}
