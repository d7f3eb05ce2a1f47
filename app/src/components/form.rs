//! Fields of forms: a label, the control, a hint, and what was wrong with what was typed.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::text::Text;

/// What was typed into a form that was refused, and what is wrong with it: field to value, field to the code of the fault.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Typed {
    /// The values.
    pub values: BTreeMap<String, String>,
    /// The faults.
    pub faults: BTreeMap<String, String>,
}

impl Typed {
    /// What was typed, else `or`.
    pub fn value(&self, field: &str, or: &str) -> String {
        self.values.get(field).map_or(or, String::as_str).to_owned()
    }

    /// Whether a switch was on when the form was refused, else as it is stored.
    pub fn is_on(&self, field: &str, stored: bool) -> bool {
        self.values
            .get(field)
            .map_or(stored, |value| !value.is_empty())
    }

    /// Whether anything was refused.
    pub fn is_refused(&self) -> bool {
        !self.faults.is_empty()
    }
}

/// A field that a form asks for.
#[derive(Clone)]
pub struct Field<'a> {
    /// Its name in the form.
    pub name: &'a str,
    /// What the label says.
    pub label: &'a str,
    /// A hint under the control.
    pub hint: Option<&'a str>,
    /// The value before anything was typed.
    pub value: &'a str,
    /// The control.
    pub control: Control,
}

/// What a field is typed into.
#[derive(Clone)]
pub enum Control {
    /// One line of the given `type`, with `autocomplete` and whether it is needed.
    Line(&'static str, Option<&'static str>, bool),
    /// A number from, to, by steps.
    Number(f64, f64, f64),
    /// A number from, to, by steps, or nothing.
    Within(f64, f64, f64),
    /// Any number, or nothing.
    Maybe,
    /// Several lines, so many to begin with.
    Lines(u8),
    /// Several lines of a machine's language.
    Code(u8),
    /// A day, or nothing.
    Day,
    /// One of several: value and label.
    Choice(Vec<(String, String)>),
}

/// Draws the field.
pub fn field(text: &'static Text, form: &str, typed: &Typed, field: Field<'_>) -> AnyView {
    let id = format!("{form}-{}", field.name);
    let value = typed.value(field.name, field.value);
    let fault = typed.faults.get(field.name).map(|code| {
        text.flash
            .fault(field.name, code)
            .map_or_else(|| format!("{} ({code})", text.flash.refused), str::to_owned)
    });
    let (hint_id, fault_id) = (format!("{id}-hint"), format!("{id}-fault"));
    let described = match (&field.hint, &fault) {
        (None, None) => None,
        (Some(_), None) => Some(hint_id.clone()),
        (None, Some(_)) => Some(fault_id.clone()),
        (Some(_), Some(_)) => Some(format!("{fault_id} {hint_id}")),
    };
    let invalid = fault.as_ref().map(|_| "true");
    let (name, target) = (field.name.to_owned(), id.clone());
    let control = match field.control {
        Control::Line(kind, complete, needed) => view! {
            <input id=id type=kind name=name value=value autocomplete=complete required=needed aria-describedby=described aria-invalid=invalid />
        }
        .into_any(),
        Control::Number(least, most, step) => view! {
            <input
                id=id
                type="number"
                inputmode="decimal"
                name=name
                value=value
                min=least.to_string()
                max=most.to_string()
                step=step.to_string()
                required
                aria-describedby=described
                aria-invalid=invalid
            />
        }
        .into_any(),
        Control::Within(least, most, step) => view! {
            <input
                id=id
                type="number"
                inputmode="decimal"
                name=name
                value=value
                min=least.to_string()
                max=most.to_string()
                step=step.to_string()
                aria-describedby=described
                aria-invalid=invalid
            />
        }
        .into_any(),
        Control::Maybe => view! {
            <input id=id type="number" inputmode="decimal" step="any" name=name value=value aria-describedby=described aria-invalid=invalid />
        }
        .into_any(),
        Control::Day => view! { <input id=id type="date" name=name value=value aria-describedby=described aria-invalid=invalid /> }
        .into_any(),
        Control::Code(rows) => view! {
            <textarea
                id=id
                class="code"
                name=name
                rows=rows.to_string()
                spellcheck="false"
                autocomplete="off"
                lang="en"
                aria-describedby=described
                aria-invalid=invalid
            >
                {leading(value)}
            </textarea>
        }
        .into_any(),
        Control::Lines(rows) => view! {
            <textarea id=id name=name rows=rows.to_string() aria-describedby=described aria-invalid=invalid>
                {value}
            </textarea>
        }
        .into_any(),
        Control::Choice(options) => {
            let options = options
                .into_iter()
                .map(|(option, label)| {
                    let chosen = option == value;
                    view! {
                        <option value=option selected=chosen>
                            {label}
                        </option>
                    }
                })
                .collect_view();
            view! {
                <select id=id name=name aria-describedby=described aria-invalid=invalid>
                    {options}
                </select>
            }
            .into_any()
        }
    };
    let fault = fault.map(|line| {
        view! {
            <p id=fault_id class="fault">
                {line}
            </p>
        }
    });
    let hint = field.hint.map(|line| {
        view! {
            <p id=hint_id class="hint">
                {line.to_owned()}
            </p>
        }
    });
    view! {
        <div class="field">
            <label for=target>{field.label.to_owned()}</label>
            {control}
            {fault}
            {hint}
        </div>
    }
    .into_any()
}

/// The field for a code of the second factor, or a recovery code.
pub fn code_field(text: &'static Text, form: &str, name: &str) -> AnyView {
    let one = Field {
        name,
        label: text.second_factor.code,
        hint: Some(text.second_factor.code_how),
        value: "",
        control: Control::Line("text", Some("one-time-code"), true),
    };
    field(text, form, &Typed::default(), one)
}

/// The choice of an agent; `all` says that all may be chosen, and how that is called.
pub fn agent_choice(
    text: &'static Text,
    form: &str,
    typed: &Typed,
    agents: &[String],
    all: Option<&str>,
) -> AnyView {
    let all = all.map(|label| (String::new(), label.to_owned()));
    let named = agents.iter().map(|name| (name.clone(), name.clone()));
    let one = Field {
        name: "agent",
        label: text.words.agent,
        hint: None,
        value: "",
        control: Control::Choice(all.into_iter().chain(named).collect()),
    };
    field(text, form, typed, one)
}

/// A parser of HTML takes the first line end of a text area away.
fn leading(value: String) -> String {
    if value.starts_with('\n') {
        format!("\n{value}")
    } else {
        value
    }
}

/// Fields that belong together, under a heading of their own.
pub fn group(legend: &str, lead: Option<&str>, fields: AnyView) -> AnyView {
    let lead = lead.map(|line| view! { <p class="hint">{line.to_owned()}</p> });
    view! {
        <fieldset class="grid">
            <legend>{legend.to_owned()}</legend>
            {lead}
            {fields}
        </fieldset>
    }
    .into_any()
}

/// A check box of a list; unchecked sends nothing.
pub fn check(form: &str, name: String, label: &str, on: bool) -> AnyView {
    let id = format!("{form}-{name}");
    view! {
        <label class="check" for=id.clone()>
            <input id=id.clone() type="checkbox" name=name value="true" checked=on />
            {label.to_owned()}
        </label>
    }
    .into_any()
}

/// A switch as a check box; unchecked sends nothing.
pub fn switch(form: &str, name: &'static str, label: &str, hint: &str, on: bool) -> AnyView {
    let id = format!("{form}-{name}");
    let hint_id = format!("{id}-hint");
    view! {
        <div class="field switch">
            <input id=id.clone() type="checkbox" name=name value="true" checked=on aria-describedby=hint_id.clone() />
            <label for=id>{label.to_owned()}</label>
            <p id=hint_id class="hint">
                {hint.to_owned()}
            </p>
        </div>
    }
    .into_any()
}
