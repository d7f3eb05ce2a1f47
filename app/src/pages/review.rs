//! `/review`: the list of what waits, the candidate that is open, the words that support it.

use domain::{
    Timestamp,
    candidate::{Action, Flag},
    id::CandidateId,
};
use leptos::prelude::*;
use serde::Deserialize;

use super::candidate::{Candidate, evidence, pane};
use crate::{
    components::{
        content::{lang, revealed},
        empty::empty,
        notice::notice,
        tag,
        time::{left, span},
    },
    islands::desk::Desk,
    keys::{Action as Key, KEYS, When, key_of},
    shell::{Frame, document},
    text::{Text, grouped},
};

/// The filters, as they stand in the address. A value that means nothing filters nothing.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// An agent's name.
    pub agent: String,
    /// A user, `usr_…`.
    pub user: String,
    /// A kind.
    pub kind: String,
    /// What the candidate would do.
    pub action: String,
    /// A flag.
    pub flag: String,
    /// The least confidence, 0 to 1.
    pub floor: String,
    /// `1`: what expires within a day.
    pub soon: String,
    /// Where the page of the list begins.
    pub after: String,
    /// The candidate that is open.
    pub c: String,
}

impl Filter {
    fn narrowing(&self) -> [(&'static str, &str); 7] {
        [
            ("agent", &self.agent),
            ("user", &self.user),
            ("kind", &self.kind),
            ("action", &self.action),
            ("flag", &self.flag),
            ("floor", &self.floor),
            ("soon", &self.soon),
        ]
    }

    /// Whether anything is filtered.
    pub fn narrows(&self) -> bool {
        self.narrowing().iter().any(|(_, value)| !value.is_empty())
    }

    /// The address of this list with `candidate` open.
    pub fn href(&self, candidate: Option<&str>) -> String {
        let pairs = self
            .narrowing()
            .into_iter()
            .chain([("after", self.after.as_str())])
            .chain(candidate.map(|id| ("c", id)));
        address("/review", pairs)
    }
}

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

/// A row of the list.
#[derive(Debug, Clone)]
pub struct Row {
    /// Which candidate.
    pub id: CandidateId,
    /// The user as shown.
    pub who: String,
    /// The agent.
    pub agent: String,
    /// The statement.
    pub content: String,
    /// Its language.
    pub language: String,
    /// Its kind.
    pub kind: String,
    /// What it would do.
    pub action: Action,
    /// Its flags.
    pub flags: Vec<Flag>,
    /// How sure the extractor is.
    pub confidence: f64,
    /// When it stops waiting.
    pub expires_at: Timestamp,
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Review {
    /// The filters of the address.
    pub filter: Filter,
    /// The user of the filter as shown.
    pub filtered_user: Option<String>,
    /// The agents to choose from.
    pub agents: Vec<String>,
    /// The kinds to choose from.
    pub kinds: Vec<String>,
    /// The rows of this page.
    pub rows: Vec<Row>,
    /// The cursor of the next page.
    pub next: Option<String>,
    /// All that wait, whatever the filter.
    pub waiting: i64,
    /// Of these, those that expire within a day.
    pub expiring: i64,
    /// When the oldest of them was proposed.
    pub oldest: Option<Timestamp>,
    /// The candidate that is open: the one of the address, else the first.
    pub open: Option<Candidate>,
    /// Whether the address names it: a narrow screen then shows it instead of the list.
    pub named: bool,
}

/// The page.
pub fn review(frame: &Frame, page: Review) -> AnyView {
    let text = frame.text();
    let title = format!(
        "{} ({})",
        text.review.title,
        grouped(page.waiting.unsigned_abs())
    );
    let head = head(frame, &page);
    let filters = filters(text, &page);
    let list = list(frame, &page);
    let (candidate, evidence) = match &page.open {
        Some(candidate) => (pane(frame, candidate), evidence(frame, candidate)),
        None => (nothing(), nothing()),
    };
    let opened = (page.named && page.open.is_some()).then_some("");
    let back = page.filter.href(None);
    let message = notice(frame);
    let desk = view! {
        <Desk>
            {head} {filters} <div class="panes" data-open=opened>
                <nav id="list" aria-label=text.review.list>
                    {list}
                </nav>
                <section id="candidate" class="candidate" aria-label=text.candidate.title>
                    {candidate}
                </section>
                <aside id="evidence" class="evidence" aria-label=text.candidate.evidence>
                    {evidence}
                </aside>
                <a class="back" href=back>
                    {text.review.back}
                </a>
            </div> {foot(text, message)} {key_help(text)}
        </Desk>
    }
    .into_any();
    document(frame, &title, true, desk)
}

fn nothing() -> AnyView {
    ().into_any()
}

fn head(frame: &Frame, page: &Review) -> AnyView {
    let text = frame.text();
    let mut counts = vec![(text.review.waiting)(page.waiting.unsigned_abs())];
    if page.expiring > 0 {
        counts.push((text.review.expiring)(page.expiring.unsigned_abs()));
    }
    if let Some(oldest) = page.oldest {
        counts.push((text.review.oldest)(&span(text, frame.now - oldest)));
    }
    view! {
        <header class="top">
            <h1>{text.review.title}</h1>
            <p id="counts" class="quiet">
                {counts.join(" · ")}
            </p>
        </header>
    }
    .into_any()
}

fn filters(text: &'static Text, page: &Review) -> AnyView {
    let filter = &page.filter;
    let chip = |label: String, count: Option<i64>, href: String, on: bool| {
        view! {
            <a class="chip" href=href aria-current=on.then_some("true")>
                {label}
                {count.map(|count| view! { <b>{grouped(count.unsigned_abs())}</b> })}
            </a>
        }
        .into_any()
    };
    let soon = Filter {
        soon: "1".to_owned(),
        ..Filter::default()
    };
    let all = chip(
        text.review.all_waiting.to_owned(),
        Some(page.waiting),
        Filter::default().href(None),
        !filter.narrows(),
    );
    let soon = chip(
        text.review.soon.to_owned(),
        Some(page.expiring),
        soon.href(None),
        filter.soon == "1",
    );
    let user = page.filtered_user.as_ref().map(|who| {
        let without = Filter {
            user: String::new(),
            c: String::new(),
            ..filter.clone()
        };
        view! {
            <a class="chip" href=without.href(None) aria-current="true" title=text.review.clear>
                {(text.review.of_user)(who)}
                <span aria-hidden="true">"×"</span>
            </a>
        }
    });
    let same = |name: &String| (name.clone(), name.clone());
    let agents = choices(text.review.any_agent, page.agents.iter().map(same));
    let kinds = choices(
        text.review.any_kind,
        page.kinds
            .iter()
            .map(|kind| (kind.clone(), tag::kind_name(text, kind))),
    );
    let actions = choices(
        text.review.any_action,
        Action::ALL
            .iter()
            .map(|&action| (action.to_string(), (text.words.action)(action).to_owned())),
    );
    let flags = choices(
        text.review.any_flag,
        Flag::ALL
            .iter()
            .map(|&flag| (flag.to_string(), (text.words.flag)(flag).to_owned())),
    );
    let chosen = [
        &filter.agent,
        &filter.kind,
        &filter.action,
        &filter.flag,
        &filter.floor,
    ]
    .iter()
    .any(|value| !value.is_empty());
    let clear = filter.narrows().then(|| {
        view! {
            <a class="button plain" href="/review">
                {text.review.clear}
            </a>
        }
    });
    view! {
        <div class="filters">
            {all} {soon} {user} <details open=chosen>
                <summary class="chip">{text.shell.filter}</summary>
                <form class="bar" method="get" action="/review">
                    {select("agent", text.words.agent, &filter.agent, agents)}
                    {select("kind", text.words.kind_label, &filter.kind, kinds)}
                    {select("action", text.words.action_label, &filter.action, actions)}
                    {select("flag", text.words.flags, &filter.flag, flags)} <label>
                        <span>{text.review.floor}</span>
                        <input type="number" name="floor" min="0" max="1" step="0.05" inputmode="decimal" value=filter.floor.clone() />
                    </label> <input type="hidden" name="user" value=filter.user.clone() />
                    <button class="button">{text.review.apply}</button> {clear}
                </form>
            </details>
        </div>
    }
    .into_any()
}

fn choices(any: &str, options: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
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

fn list(frame: &Frame, page: &Review) -> AnyView {
    let text = frame.text();
    if page.rows.is_empty() {
        return if page.agents.is_empty() {
            let link = ("/agents".to_owned(), text.overview.make_agent.to_owned());
            empty(
                text.overview.no_agents,
                text.overview.no_agents_how,
                Some(link),
            )
        } else if page.filter.narrows() && page.waiting > 0 {
            let heading = (text.review.hidden)(page.waiting.unsigned_abs());
            let link = ("/review".to_owned(), text.review.show_all.to_owned());
            empty(&heading, text.review.hidden_how, Some(link))
        } else {
            empty(text.review.empty, text.review.empty_how, None)
        };
    }
    let open = page.open.as_ref().map(|candidate| &candidate.id);
    let rows = page
        .rows
        .iter()
        .map(|row| row_view(frame, &page.filter, row, Some(&row.id) == open))
        .collect_view();
    let more = page.next.as_ref().map(|cursor| {
        let next = Filter {
            after: cursor.clone(),
            ..page.filter.clone()
        };
        view! {
            <a class="more" href=next.href(None)>
                {text.shell.next_page}
            </a>
        }
    });
    let first = (!page.filter.after.is_empty()).then(|| {
        let first = Filter {
            after: String::new(),
            ..page.filter.clone()
        };
        view! {
            <a class="more" href=first.href(None)>
                {text.shell.first_page}
            </a>
        }
    });
    view! {
        {first}
        <ol>{rows}</ol>
        {more}
    }
    .into_any()
}

fn row_view(frame: &Frame, filter: &Filter, row: &Row, open: bool) -> AnyView {
    let text = frame.text();
    let who = format!("{} · {}", row.who, row.agent);
    view! {
        <li data-id=row.id.to_string()>
            <a class="row" href=filter.href(Some(row.id.as_str())) aria-current=open.then_some("true")>
                <span class="who">{who}</span>
                {left(frame, row.expires_at)}
                <span class="line" lang=lang(&row.language)>
                    {revealed(text, &row.content)}
                </span>
                <span class="tags">
                    {tag::tag(&tag::kind_name(text, &row.kind), None, None)}
                    {tag::change(text, row.action)} {tag::flags(text, &row.flags)}
                    {tag::confidence(text, row.confidence)}
                </span>
            </a>
        </li>
    }
    .into_any()
}

/// The lower edge of a desk: the keys in reach, and the message. The island shows the template where the server cannot say
/// anything itself.
pub fn foot(text: &'static Text, message: AnyView) -> AnyView {
    view! {
        <div class="foot">{key_bar(text)} {message}</div>
        <template id="offline">
            <div class="notice" data-tone="bad">
                <p>{text.flash.offline}</p>
            </div>
        </template>
    }
    .into_any()
}

fn key_bar(text: &'static Text) -> AnyView {
    let key = |action: Key| view! { <kbd>{key_of(action)}</kbd> };
    let entry = |action: Key| {
        view! { <span>{key(action)} " " {(text.help.action)(action)}</span> }.into_any()
    };
    let help = key_of(Key::Help);
    view! {
        <footer class="keys" aria-label=text.review.keys_bar>
            {[Key::Next, Key::Previous, Key::Approve, Key::Edit, Key::Reject, Key::Undo].map(entry).into_iter().collect_view()}
            <a href="/help" data-key=help aria-keyshortcuts=help>
                {key(Key::Help)}
                " "
                {(text.help.action)(Key::Help)}
            </a>
        </footer>
    }
    .into_any()
}

/// The help sheet that the island opens in place; with scripts off the link leads to the page of the same table.
pub fn key_help(text: &'static Text) -> AnyView {
    view! {
        <dialog id="help" aria-labelledby="help-title">
            <form method="dialog">
                <h2 id="help-title">{text.help.title}</h2>
                {key_table(text)}
                <button class="button">{text.shell.close}</button>
            </form>
        </dialog>
    }
    .into_any()
}

/// The table of keys, drawn from [`KEYS`].
pub fn key_table(text: &'static Text) -> AnyView {
    let row = |key: AnyView, does: &'static str| {
        view! {
            <tr>
                <th scope="row">{key}</th>
                <td>{does}</td>
            </tr>
        }
        .into_any()
    };
    let rows: Vec<AnyView> = KEYS
        .iter()
        .map(|entry| {
            let badge = view! { <kbd>{entry.key}</kbd> };
            let badge = match entry.when {
                When::Always => badge.into_any(),
                When::Rejecting => {
                    view! { <kbd>{key_of(Key::Reject)}</kbd> " " {badge} }.into_any()
                }
            };
            row(badge, (text.help.action)(entry.action))
        })
        .collect();
    let save = row(
        view! { <kbd>"Ctrl"</kbd> " " <kbd>"Enter"</kbd> }.into_any(),
        text.help.save,
    );
    let leave = row(view! { <kbd>"Esc"</kbd> }.into_any(), text.help.leave);
    view! {
        <table class="keytable">
            <caption>{text.help.caption}</caption>
            <thead>
                <tr>
                    <th scope="col">{text.help.key}</th>
                    <th scope="col">{text.help.does}</th>
                </tr>
            </thead>
            <tbody>{rows} {save} {leave}</tbody>
        </table>
        <p class="quiet">{text.help.off}</p>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_stands_in_the_address_and_text_cannot_break_out_of_it() {
        let filter = Filter {
            agent: "a&c=x".into(),
            floor: "0.5".into(),
            ..Filter::default()
        };
        assert_eq!(
            filter.href(Some("cand_1")),
            "/review?agent=a%26c%3Dx&floor=0.5&c=cand_1"
        );
        assert_eq!(Filter::default().href(None), "/review");
        assert!(filter.narrows() && !Filter::default().narrows());
    }
}
