//! What two different people must agree to (G9).

use domain::{candidate::Flag, profile};
use leptos::prelude::*;

use super::Agent;
use crate::{
    components::{
        form::{check, switch},
        tag,
    },
    text::Text,
};

pub(super) fn four_eyes(text: &'static Text, agent: &Agent) -> AnyView {
    let words = &text.four_eyes;
    let set = &agent.settings.four_eyes;
    let typed = &agent.typed;
    // A box that is off sends nothing, so a form that was refused says everything that was on.
    let sent = typed.values.contains_key("four_eyes");
    let on = |field: &str, stored: bool| match sent {
        true => typed.values.contains_key(field),
        false => stored,
    };
    let all = switch(
        "four-eyes",
        "four_eyes_all",
        words.all,
        words.all_how,
        on("four_eyes_all", set.all),
    );
    let kinds = agent
        .kinds
        .iter()
        .filter(|kind| kind.enabled || kind.name == profile::KIND || set.kinds.contains(&kind.name))
        .map(|kind| {
            let field = format!("four_eyes_kind.{}", kind.name);
            let on = on(&field, set.kinds.contains(&kind.name));
            check("four-eyes", field, &tag::kind_name(text, &kind.name), on)
        })
        .collect_view();
    let flags = Flag::ALL
        .iter()
        .map(|&flag| {
            let field = format!("four_eyes_flag.{}", flag.as_str());
            let on = on(&field, set.flags.contains(&flag));
            check("four-eyes", field, (text.words.flag)(flag), on)
        })
        .collect_view();
    view! {
        <section id="four-eyes">
            <h2>{words.title}</h2>
            <p class="lead">{words.lead}</p>
            <p class="hint">{words.by_hand}</p>
            <form class="card" method="post" action=format!("/agents/{}/four-eyes", agent.figures.name)>
                <input type="hidden" name="version" value=agent.version />
                <input type="hidden" name="four_eyes" value="1" />
                {all}
                <fieldset class="checks">
                    <legend>{words.kinds}</legend>
                    {kinds}
                </fieldset>
                <fieldset class="checks">
                    <legend>{words.flags}</legend>
                    {flags}
                </fieldset>
                <button class="button">{words.save}</button>
            </form>
        </section>
    }
    .into_any()
}
