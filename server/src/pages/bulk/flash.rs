//! What a form over many has to say on the next page, and what it leaves selected there.

use std::collections::BTreeMap;

use app::{
    pages::review::bulk::{Bulk, Failed},
    shell::Tone,
    text::Text,
};
use domain::{
    candidate::Status,
    id::{BulkId, CandidateId},
    permission::Permission,
};
use engine::{BulkView, HandedOver, Listing, Page};

use crate::{
    auth::Viewer,
    flash::Flash,
    page_error::PageError,
    pages::{form::typed_of, look::Look},
};

/// What was decided, or taken back.
pub fn done(bulk: &BulkView, here: &str) -> Flash {
    let code = match (bulk.state.is_open(), &bulk.undo_of) {
        (true, _) => "bulk_started",
        (false, Some(_)) => "bulk_undone",
        (false, None) => "bulk_done",
    };
    Flash::new(code)
        .with("bulk", bulk.id.as_str())
        .with("verdict", bulk.verdict.as_str())
        .with("done", bulk.done.to_string())
        .with("failed", bulk.failed.to_string())
        .with("served", bulk.told.to_string())
        .with("here", here)
        .with("undo", if bulk.can_be_undone() { "1" } else { "" })
}

/// What was handed over, and why the others were not.
pub fn handed_over(handed: &HandedOver) -> Flash {
    let failed = handed.failed.iter();
    let failed: Vec<String> = failed.map(|(id, code)| format!("{id}:{code}")).collect();
    Flash::new("bulk_handed_over")
        .with("done", handed.done.to_string())
        .with("failed", failed.len().to_string())
        .with("not_handed", failed.join(" "))
}

fn field<'a>(flash: &'a Flash, name: &str) -> &'a str {
    flash.fields.get(name).map_or("", String::as_str)
}

fn bulk_of(flash: &Flash) -> Option<BulkId> {
    BulkId::parse(field(flash, "bulk")).ok()
}

/// The sentence of a message about many.
pub fn line(text: &'static Text, flash: &Flash) -> Option<(Tone, String)> {
    let number = |name| field(flash, name).parse::<u64>().unwrap_or_default();
    let (done, failed) = (number("done"), number("failed"));
    let tone = if failed > 0 { Tone::Bad } else { Tone::Good };
    let line = match flash.code.as_str() {
        "bulk_done" => {
            let verdict = field(flash, "verdict").parse().ok()?;
            (text.bulk.flash_done)(verdict, done, failed)
        }
        "bulk_undone" => (text.bulk.flash_undone)(done, failed),
        "bulk_handed_over" => (text.bulk.flash_handed_over)(done, failed),
        "bulk_started" => return Some((Tone::Good, text.bulk.flash_started.to_owned())),
        "bulk_stopped" => return Some((Tone::Good, text.bulk.flash_stopped.to_owned())),
        "bulk_over" => return Some((Tone::Bad, (text.flash.code)("bulk_over")?.to_owned())),
        "bulk_none" => return Some((Tone::Bad, text.bulk.flash_none.to_owned())),
        _ => return None,
    };
    Some((tone, line))
}

/// How many of what was taken back had been served meanwhile.
pub fn more(text: &'static Text, flash: &Flash) -> Option<String> {
    let served: u64 = field(flash, "served").parse().ok()?;
    (served > 0).then(|| (text.bulk.flash_told)(served))
}

/// Where all of it is listed.
pub fn link(text: &'static Text, flash: &Flash) -> Option<(String, String)> {
    let id = bulk_of(flash).filter(|_| flash.code != "bulk_stopped")?;
    Some((format!("/bulks/{id}"), text.bulk.see.to_owned()))
}

/// The form that takes all of it back.
pub fn undo(flash: &Flash) -> Option<String> {
    let id = bulk_of(flash).filter(|_| field(flash, "undo") == "1")?;
    Some(format!("/bulks/{id}/undo"))
}

/// What the bar of the queue shows after a form over many: what could not be done stays selected, and so does all of a form that was
/// refused.
///
/// # Errors
/// The store failed.
pub async fn standing(look: &Look, viewer: &Viewer) -> Result<Bulk, PageError> {
    let mut bulk = Bulk {
        may_insist: viewer.may(Permission::Administer),
        ..Bulk::default()
    };
    let Some(flash) = &look.flash else {
        return Ok(bulk);
    };
    if flash.fields.contains_key("picked") {
        bulk.picked = field(flash, "picked")
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        bulk.asks = field(flash, "asks").parse().ok();
        bulk.typed = typed_of(Some(flash));
    }
    let id = bulk_of(flash).filter(|_| flash.code == "bulk_done" && field(flash, "failed") != "0");
    if let Some(id) = id {
        let decides = viewer.ask(Permission::Decide)?;
        let page = Page {
            limit: Page::MOST,
            ..Page::default()
        };
        let items = look
            .engine()
            .bulk_items(&decides, &id, Listing::Failed, &page)
            .await?;
        let verdict = field(flash, "verdict");
        let failed: Vec<Failed> = items
            .data
            .into_iter()
            .map(|item| Failed {
                pick: still_open(verdict, item.status)
                    .then(|| format!("{}:{}", item.id, item.version)),
                id: item.id,
                content: item.content,
                language: item.language,
                who: item.who,
                code: item.code.unwrap_or_default(),
            })
            .collect();
        bulk.picked = failed.iter().filter_map(|one| one.pick.clone()).collect();
        bulk.failed = Some((Some(id), failed));
    }
    if flash.code == "bulk_handed_over" {
        let failed = not_handed(look, viewer, flash).await?;
        bulk.picked = failed.iter().filter_map(|one| one.pick.clone()).collect();
        bulk.failed = Some((None, failed));
    }
    Ok(bulk)
}

/// What could not be handed over: what waits still stays ticked.
async fn not_handed(look: &Look, viewer: &Viewer, flash: &Flash) -> Result<Vec<Failed>, PageError> {
    let codes: BTreeMap<CandidateId, &str> = field(flash, "not_handed")
        .split_whitespace()
        .filter_map(|one| {
            let (id, code) = one.split_once(':')?;
            Some((id.parse().ok()?, code))
        })
        .collect();
    let ids: Vec<CandidateId> = codes.keys().cloned().collect();
    let engine = look.engine();
    let found = engine.candidates_by_id(&viewer.permit, &ids).await?;
    let failed = found.into_iter().map(|view| Failed {
        pick: (view.status == Status::Pending).then(|| format!("{}:{}", view.id, view.version)),
        code: codes.get(&view.id).copied().unwrap_or_default().to_owned(),
        id: view.id,
        content: view.content,
        language: view.language,
        who: view.who,
    });
    Ok(failed.collect())
}

/// Whether the same can be tried again.
fn still_open(verdict: &str, status: Status) -> bool {
    (verdict == "reopen") == (status != Status::Pending)
}

/// The fields of a form over many, each with all its values.
pub struct Fields(BTreeMap<String, Vec<String>>);

impl Fields {
    /// Of the pairs as they were sent.
    pub fn new(pairs: Vec<(String, String)>) -> Self {
        let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, value) in pairs {
            fields.entry(name).or_default().push(value);
        }
        Self(fields)
    }

    /// The last value of a field; empty where there is none.
    pub fn one(&self, name: &str) -> &str {
        self.0
            .get(name)
            .and_then(|values| values.last())
            .map_or("", String::as_str)
    }

    /// All values of a field.
    pub fn all(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use app::text::Language;

    use super::*;

    // F7
    #[test]
    fn what_was_done_to_many_is_told_in_one_line_with_a_way_back() {
        let id = format!("bulk_{}", "0".repeat(26));
        let flash = Flash::new("bulk_done")
            .with("bulk", id.clone())
            .with("verdict", "approve")
            .with("done", "197")
            .with("failed", "3")
            .with("undo", "1");
        let text = Language::English.text();
        let (tone, told) = line(text, &flash).unwrap();
        assert_eq!((tone, told.as_str()), (Tone::Bad, "197 approved, 3 failed"));
        assert_eq!(undo(&flash), Some(format!("/bulks/{id}/undo")));
        assert!(link(text, &flash).is_some());
        let undone = Flash::new("bulk_undone")
            .with("done", "1")
            .with("failed", "0")
            .with("served", "1");
        assert_eq!(line(text, &undone).unwrap().1, "Taken back: 1 waits again");
        assert_eq!(
            more(text, &undone).unwrap(),
            "1 of them had been served meanwhile."
        );
        assert_eq!(undo(&undone), None);
    }
}
