//! `/users/{id}/context`: exactly what an agent would be told about a person right now, and why each memory is in it or out (F12).

use domain::{
    id::{MemoryId, UserId},
    render::{CutFor, Layout, Why},
};
use leptos::prelude::*;

use crate::{
    components::{
        bar::select,
        content::{lang, revealed},
        demo::banner,
        tag,
    },
    shell::{Frame, page},
    text::{Text, grouped},
};

/// What was asked, as it was typed.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// The task.
    pub query: String,
    /// Most tokens.
    pub tokens: String,
    /// The layout.
    pub layout: Layout,
}

/// A memory that is told or left out.
#[derive(Debug, Clone)]
pub struct Told {
    /// Which.
    pub memory: MemoryId,
    /// In which revision.
    pub revision: i64,
    /// Its kind.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Its rank; `None`: it is left out.
    pub score: Option<f64>,
    /// Why it is told, or why not.
    pub because: Because,
}

/// Why a memory is told or left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// It is told.
    In(Why),
    /// It is left out.
    Out(CutFor),
}

/// What the page shows.
#[derive(Debug, Clone)]
pub struct ContextPreview {
    /// The person.
    pub user: UserId,
    /// As the agent names them.
    pub who: String,
    /// The agent.
    pub agent: String,
    /// What was asked.
    pub ask: Ask,
    /// The text.
    pub block: String,
    /// What it costs, about.
    pub tokens: usize,
    /// What it may cost.
    pub budget: usize,
    /// Why nothing is told at all.
    pub reason: Option<&'static str>,
    /// The memories: told ones first, then those left out.
    pub lines: Vec<Told>,
}

/// The page.
pub fn context(frame: &Frame, preview: &ContextPreview) -> AnyView {
    let text = frame.text();
    let words = &text.preview;
    let beside = view! {
        <p class="quiet">
            <a href=format!("/users/{}", preview.user)>{preview.who.clone()}</a>
            " · "
            <a href=format!("/agents/{}", preview.agent)>{preview.agent.clone()}</a>
        </p>
    }
    .into_any();
    let reason = preview.reason.map(|code| {
        view! {
            <div class="callout" data-tone="warn">
                <p>{(words.reason)(code)}</p>
            </div>
        }
    });
    let block = if preview.block.is_empty() {
        view! { <p class="quiet">{words.block_empty}</p> }.into_any()
    } else {
        view! { <pre tabindex="0" lang="und">{preview.block.clone()}</pre> }.into_any()
    };
    let number = |n: usize| grouped(n as u64);
    let used = (words.used)(&number(preview.tokens), &number(preview.budget));
    let (told, left): (Vec<&Told>, Vec<&Told>) = preview
        .lines
        .iter()
        .partition(|line| matches!(line.because, Because::In(_)));
    let content = view! {
        <div class="letter">
            {banner(frame, &preview.agent)}
            <p class="quiet">{words.lead}</p>
            {form(text, preview)}
            {reason}
            <section>
                <h2>{words.block}</h2>
                <p class="quiet">{used}</p>
                {block}
            </section>
            {table(text, words.told, &told)}
            {table(text, words.left_out, &left)}
        </div>
    }
    .into_any();
    page(frame, words.title, Some(beside), content)
}

fn form(text: &'static Text, preview: &ContextPreview) -> AnyView {
    let (words, ask) = (&text.preview, &preview.ask);
    let layouts = Layout::ALL
        .iter()
        .map(|&layout| (layout.to_string(), (words.layouts)(layout).to_owned()))
        .collect();
    view! {
        <form class="bar" method="get" action=format!("/users/{}/context", preview.user)>
            <label class="wide">
                <span>{words.query}</span>
                <input type="text" name="query" value=ask.query.clone() autocomplete="off" />
            </label>
            <label>
                <span>{words.tokens}</span>
                <input type="number" name="tokens" min="1" max="100000" inputmode="numeric" value=ask.tokens.clone() />
            </label>
            {select("layout", words.layout, ask.layout.as_str(), layouts)}
            <button class="button">{words.show}</button>
        </form>
    }
    .into_any()
}

fn table(text: &'static Text, title: &'static str, lines: &[&Told]) -> AnyView {
    let words = &text.preview;
    if lines.is_empty() {
        return view! {
            <section>
                <h2>{title}</h2>
                <p class="quiet">{words.none}</p>
            </section>
        }
        .into_any();
    }
    let rows = lines
        .iter()
        .map(|line| {
            let because = match line.because {
                Because::In(why) => (words.why)(why),
                Because::Out(cut) => (words.cut)(cut),
            };
            let name = line.name.as_ref().map(|name| format!("{name}: "));
            view! {
                <tr>
                    <th scope="row">
                        <a href=format!("/memories/{}", line.memory) lang=lang(domain::text::language(&line.content))>
                            {name}
                            {revealed(text, &line.content)}
                        </a>
                    </th>
                    <td>{tag::kind_name(text, &line.kind)}</td>
                    <td>{(text.memories.revision)(line.revision)}</td>
                    <td>{because}</td>
                    <td class="num">{line.score.map(|score| format!("{score:.2}"))}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section>
            <h2>{title}</h2>
            <div class="scroll" tabindex="0" role="region" aria-label=title>
                <table>
                    <caption class="visually-hidden">{title}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{words.memory}</th>
                            <th scope="col">{text.words.kind_label}</th>
                            <th scope="col">{text.memories.revisions}</th>
                            <th scope="col">{words.because}</th>
                            <th scope="col" class="num">
                                {words.score}
                            </th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}
