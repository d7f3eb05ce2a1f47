//! Values of one metric over time.

use super::judge::StoredMemory;
use crate::{candidate::Proposal, series, text::normal_form};

/// Whether two values of one metric are of two periods: a series, where neither denies the other. What names no period is of the time
/// at which it was said, so two such values of one conversation are a correction.
pub(super) fn at_another_time(proposal: &Proposal, memory: &StoredMemory) -> bool {
    if proposal.kind != series::METRIC || memory.kind != series::METRIC {
        return false;
    }
    let said_in = proposal.evidence.first().map(|piece| &piece.conversation);
    let one_conversation = said_in.is_some() && said_in == memory.conversation.as_ref();
    let period = proposal
        .metadata
        .get("period")
        .and_then(serde_json::Value::as_str);
    let of = |period: Option<&str>| period.map(normal_form).filter(|period| !period.is_empty());
    match (of(period), of(memory.period.as_deref())) {
        (Some(one), Some(other)) if one != other => true,
        // "Last month" is another month in another conversation.
        (Some(one), Some(_)) if !is_relative(&one) => false,
        _ => !one_conversation,
    }
}

/// Whether a period, in normal form, depends on the day on which it is said.
fn is_relative(period: &str) -> bool {
    let english = period.split(' ').any(|word| {
        matches!(
            word,
            "this" | "last" | "past" | "previous" | "current" | "trailing" | "today" | "yesterday"
        )
    });
    let asian = [
        "今", "昨", "先", "本", "去年", "这", "上个", "上月", "上周", "直近", "過去", "最近",
        "过去",
    ];
    english || asian.iter().any(|word| period.contains(word))
}
