//! The forms that change a memory: a new revision, another end, retired, restored.

use domain::{memory::MemoryStatus, time::Span};
use leptos::prelude::*;

use super::Memory;
use crate::{
    components::{
        form::{Control, Field, field},
        metadata::metadata,
        tag,
    },
    shell::Frame,
};

pub(super) fn changes(frame: &Frame, memory: &Memory) -> Option<AnyView> {
    if !memory.may_decide {
        return None;
    }
    let text = frame.text();
    let address = |verb: &str| format!("/memories/{}/{verb}", memory.id);
    let revision = || view! { <input type="hidden" name="revision" value=memory.revision /> };
    if memory.status == MemoryStatus::Retired {
        return Some(
            view! {
                <form class="actions" method="post" action=address("restore")>
                    {revision()}
                    <button class="button">{text.memories.restore}</button>
                </form>
            }
            .into_any(),
        );
    }
    let draw = |one: Field<'_>| field(text, "memory", &memory.typed, one);
    let kinds = memory
        .kinds
        .iter()
        .map(|kind| (kind.clone(), tag::kind_name(text, kind)))
        .collect();
    let content = draw(Field {
        name: "content",
        label: text.words.content,
        hint: None,
        value: &memory.content,
        control: Control::Lines(3),
    });
    let kind = draw(Field {
        name: "kind",
        label: text.words.kind_label,
        hint: None,
        value: &memory.kind,
        control: Control::Choice(kinds),
    });
    let name = draw(Field {
        name: "name",
        label: text.words.name,
        hint: None,
        value: memory.name.as_deref().unwrap_or_default(),
        control: Control::Line("text", Some("off"), false),
    });
    let importance = draw(Field {
        name: "importance",
        label: text.words.importance,
        hint: None,
        value: &format!("{:.2}", memory.importance),
        control: Control::Number(0.0, 1.0, 0.01),
    });
    let metadata = metadata(
        text,
        "memory",
        &memory.typed,
        &memory.metadata_fields,
        memory.metadata_json.as_deref(),
    );
    let note = draw(Field {
        name: "note",
        label: text.candidate.reject_note,
        hint: None,
        value: "",
        control: Control::Lines(1),
    });
    // A day is over at its end, which is the first instant of the next.
    let day = memory
        .expires_at
        .map(|at| (at - Span::seconds(1)).format("%Y-%m-%d").to_string());
    let expiry = draw(Field {
        name: "expires_at",
        label: text.memories.expiry,
        hint: Some(text.memories.expiry_how),
        value: day.as_deref().unwrap_or_default(),
        control: Control::Day,
    });
    let expiry_typed = memory.typed.values.contains_key("expires_at");
    let edit_typed = memory.typed.values.contains_key("content");
    Some(
        view! {
            <div class="actions">
                <details class="edit" name="verdict" open=edit_typed>
                    <summary class="button">{text.memories.edit}</summary>
                    <form class="grid" method="post" action=address("edit")>
                        {revision()} {content} {kind} {name} {importance} {metadata} {note}
                        <div class="buttons">
                            <button class="button primary">{text.memories.save}</button>
                        </div>
                    </form>
                </details>
                <details class="edit" name="verdict" open=expiry_typed>
                    <summary class="button">{text.memories.expiry_save}</summary>
                    <form class="inline" method="post" action=address("expiry")>
                        {revision()} {expiry}
                        <button class="button primary">{text.memories.expiry_save}</button>
                    </form>
                </details>
                <details class="reject" name="verdict">
                    <summary class="button danger">{text.memories.retire}</summary>
                    <form method="post" action=address("retire")>
                        {revision()}
                        <p>{text.memories.retire_sure}</p>
                        <button class="button danger">{text.memories.retire}</button>
                    </form>
                </details>
            </div>
        }
        .into_any(),
    )
}
