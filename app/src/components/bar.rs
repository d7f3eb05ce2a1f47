//! Bars of filters: addresses with a query, and labelled selects.

use leptos::prelude::*;

/// A path with a query of the pairs that have a value.
pub fn address<'a>(path: &str, pairs: impl IntoIterator<Item = (&'static str, &'a str)>) -> String {
    let mut address = path.to_owned();
    for (name, value) in pairs {
        if !value.is_empty() {
            address.push(if address.contains('?') { '&' } else { '?' });
            address.push_str(name);
            address.push('=');
            for byte in value.bytes() {
                match byte {
                    b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                        address.push(char::from(byte));
                    }
                    _ => address.push_str(&format!("%{byte:02X}")),
                }
            }
        }
    }
    address
}

/// The options of a select, after the one that chooses nothing.
pub fn choices(
    any: &str,
    options: impl Iterator<Item = (String, String)>,
) -> Vec<(String, String)> {
    std::iter::once((String::new(), any.to_owned()))
        .chain(options)
        .collect()
}

/// A labelled select of a bar of filters.
pub fn select(
    name: &'static str,
    label: &'static str,
    value: &str,
    options: Vec<(String, String)>,
) -> AnyView {
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
        <label>
            <span>{label}</span>
            <select name=name>{options}</select>
        </label>
    }
    .into_any()
}
