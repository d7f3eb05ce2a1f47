//! Trends over sessions (B9): a metric that goes one way, a pain point that comes back. Found by rules, whatever the extractor, and
//! said in the language of the memory.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::{
    Timestamp,
    candidate::Evidence,
    id::ConversationId,
    series::{Measured, Mention, Point, counted},
    text,
};

/// Sessions in a row that make a trend.
pub const SESSIONS: usize = 3;
/// The least change from the first to the last value, as a part of the first.
const LEAST_CHANGE: f64 = 0.05;
/// Figures told of a trend.
const FIGURES: usize = 6;
/// Characters of a pain point repeated in its pattern.
const MOST_QUOTED: usize = 500;

/// Where something goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// A figure goes the way one wants it to.
    Improving,
    /// It goes the other way.
    Worsening,
    /// It rises, and what that means is not known.
    Rising,
    /// It falls.
    Falling,
    /// A trouble comes back.
    Returning,
}

impl Direction {
    /// The word in metadata.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Improving => "improving",
            Self::Worsening => "worsening",
            Self::Rising => "rising",
            Self::Falling => "falling",
            Self::Returning => "returning",
        }
    }
}

/// A finding, as the pattern that is proposed of it says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What it is about, in normal form: a metric, or a pain point. One pattern for each.
    pub of: String,
    /// Where it goes.
    pub direction: Direction,
    /// A name a person can read.
    pub name: String,
    /// The statement.
    pub content: String,
    /// `of`, `direction`, figures, number of sessions.
    pub metadata: Map<String, Value>,
    /// Words from each session.
    pub evidence: Vec<Evidence>,
}

/// The trend of a metric: over the last three sessions or more each value is greater (or smaller) than the one before, by a
/// twentieth in all. Values in other units than the last one are left out, and what was written by hand has no session.
pub fn of_metric(measured: &Measured, points: &[Point], language: &str) -> Option<Finding> {
    let unit = points.last()?.unit.clone();
    let mut by_session: Vec<&Point> = Vec::new();
    for point in points {
        if point.unit != unit || point.conversation.is_none() {
            continue;
        }
        // Of one session its last word counts.
        by_session.retain(|other| other.conversation != point.conversation);
        by_session.push(point);
    }
    let rises = match by_session.as_slice() {
        [.., before, last] => last.value > before.value,
        _ => return None,
    };
    let goes_on = |pair: &[&Point]| {
        if rises {
            pair[1].value > pair[0].value
        } else {
            pair[1].value < pair[0].value
        }
    };
    let steps = by_session
        .windows(2)
        .rev()
        .take_while(|pair| goes_on(pair))
        .count();
    let run = &by_session[by_session.len() - steps - 1..];
    let (first, last) = (run.first()?.value, run.last()?.value);
    if run.len() < SESSIONS || (last - first).abs() < LEAST_CHANGE * first.abs() {
        return None;
    }
    let direction = match (good_when_high(measured), rises) {
        (Some(high), rises) if high == rises => Direction::Improving,
        (Some(_), _) => Direction::Worsening,
        (None, true) => Direction::Rising,
        (None, false) => Direction::Falling,
    };
    let told = &run[run.len().saturating_sub(FIGURES)..];
    let figures: Vec<String> = told
        .iter()
        .map(|point| figure(point.value, unit.as_deref()))
        .collect();
    let key = measured.key();
    let Value::Object(metadata) = json!({
        "of": key,
        "direction": direction.as_str(),
        "figures": told.iter().map(|point| point.value).collect::<Vec<_>>(),
        "unit": unit,
        "sessions": run.len(),
    }) else {
        unreachable!("an object")
    };
    Some(Finding {
        name: format!("trend: {key}"),
        content: metric_words(measured, direction, run.len(), &figures, language),
        direction,
        metadata,
        evidence: run
            .iter()
            .filter_map(|point| point.evidence.clone())
            .collect(),
        of: key,
    })
}

/// Whether a pain point comes back: it was said in three sessions, or in another one after it had been resolved.
pub fn of_pain_point(
    name: Option<&str>,
    content: &str,
    mentions: &[Mention],
    resolved_at: Option<Timestamp>,
    language: &str,
) -> Option<Finding> {
    let (count, sessions) = counted(mentions);
    let first_after = |at: Timestamp| {
        let before: BTreeSet<&ConversationId> = mentions
            .iter()
            .filter(|mention| mention.at <= at)
            .map(|mention| &mention.conversation)
            .collect();
        mentions
            .iter()
            .any(|mention| mention.at > at && !before.contains(&mention.conversation))
    };
    let again = resolved_at.is_some_and(first_after);
    if usize::try_from(sessions).unwrap_or(0) < SESSIONS && !(again && sessions >= 2) {
        return None;
    }
    // Its words, not the memory's id: a key-like word would be taken for a secret.
    let of = text::slice(&text::normal_form(name.unwrap_or(content)), 0, 120).to_owned();
    let Value::Object(metadata) = json!({
        "of": of,
        "direction": Direction::Returning.as_str(),
        "sessions": sessions,
        "count": count,
    }) else {
        unreachable!("an object")
    };
    let mut evidence: Vec<Evidence> = Vec::new();
    for mention in mentions {
        if let Some(piece) = &mention.evidence
            && !evidence
                .iter()
                .any(|other| other.conversation == piece.conversation)
        {
            evidence.push(piece.clone());
        }
    }
    let quoted = text::slice(content, 0, MOST_QUOTED);
    Some(Finding {
        of,
        direction: Direction::Returning,
        name: format!("returning: {}", text::slice(content, 0, 80)),
        content: returning_words(quoted, count, sessions, again, language),
        metadata,
        evidence,
    })
}

fn metric_words(
    measured: &Measured,
    direction: Direction,
    sessions: usize,
    figures: &[String],
    language: &str,
) -> String {
    let name = &measured.metric;
    let campaign = measured.campaign.as_deref();
    let figures = figures.join(" → ");
    match language {
        "ja" => {
            let of = campaign.map_or_else(String::new, |campaign| format!("（{campaign}）"));
            let goes = match direction {
                Direction::Improving => "改善し続けている",
                Direction::Worsening => "悪化し続けている",
                Direction::Rising => "上がり続けている",
                Direction::Falling | Direction::Returning => "下がり続けている",
            };
            format!("{name}{of}は{sessions}回のセッションを通じて{goes}：{figures}")
        }
        "zh" => {
            let of = campaign.map_or_else(String::new, |campaign| format!("（{campaign}）"));
            let goes = match direction {
                Direction::Improving => "持续改善",
                Direction::Worsening => "持续恶化",
                Direction::Rising => "持续上升",
                Direction::Falling | Direction::Returning => "持续下降",
            };
            format!("{name}{of}在{sessions}次会话中{goes}：{figures}")
        }
        _ => {
            let of = campaign.map_or_else(String::new, |campaign| format!(" of {campaign}"));
            let goes = match direction {
                Direction::Improving => "improving",
                Direction::Worsening => "getting worse",
                Direction::Rising => "rising",
                Direction::Falling | Direction::Returning => "falling",
            };
            format!("{name}{of} has been {goes} over {sessions} sessions: {figures}")
        }
    }
}

fn returning_words(
    content: &str,
    count: u32,
    sessions: u32,
    again: bool,
    language: &str,
) -> String {
    match language {
        "ja" => {
            let again = if again { "、解決後に再発" } else { "" };
            format!("繰り返す悩み（{sessions}回のセッションで{count}回{again}）：{content}")
        }
        "zh" => {
            let again = if again {
                "，解决后再次出现"
            } else {
                ""
            };
            format!("反复出现的痛点（{sessions}次会话中提到{count}次{again}）：{content}")
        }
        _ => {
            let again = if again {
                ", again after it was resolved"
            } else {
                ""
            };
            format!(
                "Returning pain point, raised {count} times in {sessions} sessions{again}: {content}"
            )
        }
    }
}

/// A value with its unit, as one writes it: `2.1%`, `$1,250`, `3.5 ROAS`, `50,000円`.
fn figure(value: f64, unit: Option<&str>) -> String {
    let rounded = (value * 10_000.0).round() / 10_000.0;
    let plain = format!("{}", rounded.abs());
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if !fraction.is_empty() {
        grouped.push('.');
        grouped.push_str(fraction);
    }
    let sign = if rounded < 0.0 { "-" } else { "" };
    match unit {
        None => format!("{sign}{grouped}"),
        Some(unit @ ("$" | "€" | "£" | "¥" | "₩" | "₹")) => {
            format!("{sign}{unit}{grouped}")
        }
        Some(unit) => {
            let close = unit.starts_with(|c: char| matches!(c, '%' | '‰' | '°') || text::is_cjk(c));
            let space = if close { "" } else { " " };
            format!("{sign}{grouped}{space}{unit}")
        }
    }
}

/// Whether more of it is better, where its name says so.
fn good_when_high(measured: &Measured) -> Option<bool> {
    let name = text::normal_form(&measured.metric);
    let padded = format!(" {name} ");
    let holds = |words: &str| {
        words.split_whitespace().any(|word| {
            if word.is_ascii() {
                padded.contains(&format!(" {word} "))
            } else {
                name.contains(word)
            }
        })
    };
    // What is bad comes first: a "bounce rate" is a rate, a "customer acquisition cost" is about customers.
    if holds(LOW) {
        Some(false)
    } else if holds(HIGH) {
        Some(true)
    } else {
        None
    }
}

/// Words of figures that one wants low.
const LOW: &str = "\
    cpa cpc cpm cpl cac cost costs bounce churn latency delay error errors downtime complaints refunds \
    unsubscribes defects bugs incidents failures failure crashes loss losses debt コスト 費用 原価 離脱 直帰 解約 遅延 \
    エラー 障害 苦情 クレーム 不具合 獲得単価 クリック単価 成本 费用 流失 跳出 延迟 错误 故障 投诉 退款 退订 缺陷";

/// Words of figures that one wants high.
const HIGH: &str = "\
    ctr cvr roas roi revenue sales profit margin conversion conversions clicks impressions reach \
    engagement retention nps csat signups subscribers orders installs satisfaction traffic visits \
    visitors views score coverage uptime accuracy 売上 利益 収益 コンバージョン 成約率 クリック率 クリック数 継続率 満足度 登録者 訪問 流入 銷售 \
    销售 营收 收入 利润 转化 点击 留存 满意度 订阅 访问 流量";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        id::{MemoryId, MessageId},
        series::tests::{Fixed, conversation, day},
    };

    fn measured(metric: &str) -> Measured {
        Measured {
            metric: metric.to_owned(),
            campaign: None,
        }
    }

    fn evidence(session: u8) -> Evidence {
        Evidence {
            conversation: conversation(session),
            message: Some(MessageId::new(day(0), &Fixed(session))),
            start: 0,
            end: 2,
            quote: "is".to_owned(),
        }
    }

    fn points(values: &[(u8, f64)], unit: &str) -> Vec<Point> {
        values
            .iter()
            .enumerate()
            .map(|(at, (session, value))| Point {
                memory: MemoryId::new(day(0), &Fixed(1)),
                revision: at as i64 + 1,
                value: *value,
                unit: Some(unit.to_owned()),
                period: None,
                at: day(at as i64),
                conversation: Some(conversation(*session)),
                evidence: Some(evidence(*session)),
            })
            .collect()
    }

    // B9
    #[test]
    fn a_metric_that_goes_one_way_over_three_sessions_is_a_trend_with_figures_and_sessions() {
        let values = points(&[(1, 2.1), (2, 2.6), (3, 3.4)], "%");
        let found = of_metric(&measured("CTR"), &values, "en").unwrap();
        assert_eq!(
            found.content,
            "CTR has been improving over 3 sessions: 2.1% → 2.6% → 3.4%"
        );
        assert_eq!(found.direction, Direction::Improving);
        assert_eq!(found.metadata["figures"], json!([2.1, 2.6, 3.4]));
        assert_eq!(found.evidence.len(), 3);
        let costs = points(&[(1, 1200.0), (2, 1500.0), (3, 2000.0)], "$");
        let found = of_metric(&measured("CPA"), &costs, "en").unwrap();
        assert_eq!(
            found.content,
            "CPA has been getting worse over 3 sessions: $1,200 → $1,500 → $2,000"
        );
    }

    // B9, F10
    #[test]
    fn a_trend_is_said_in_the_language_of_the_memory() {
        let values = points(&[(1, 50_000.0), (2, 60_000.0), (3, 80_000.0)], "円");
        let of_alpha = Measured {
            campaign: Some("Alpha".to_owned()),
            ..measured("売上")
        };
        assert_eq!(
            of_metric(&of_alpha, &values, "ja").unwrap().content,
            "売上（Alpha）は3回のセッションを通じて改善し続けている：50,000円 → 60,000円 → 80,000円"
        );
        let values = points(&[(1, 5.0), (2, 4.0), (3, 3.0)], "%");
        assert_eq!(
            of_metric(&measured("转化率"), &values, "zh")
                .unwrap()
                .content,
            "转化率在3次会话中持续恶化：5% → 4% → 3%"
        );
        let found = of_metric(&measured("stock"), &values, "en").unwrap();
        assert_eq!(found.direction, Direction::Falling);
    }

    #[test]
    fn two_sessions_a_turn_a_trifle_or_one_session_alone_are_no_trend() {
        let trend = |values: &[(u8, f64)]| of_metric(&measured("CTR"), &points(values, "%"), "en");
        assert_eq!(trend(&[(1, 2.0), (2, 3.0)]), None);
        assert_eq!(trend(&[(1, 2.0), (2, 3.0), (3, 2.5)]), None);
        assert_eq!(trend(&[(1, 100.0), (2, 100.1), (3, 100.2)]), None);
        assert_eq!(trend(&[(1, 2.0), (1, 3.0), (1, 4.0)]), None);
        assert_eq!(trend(&[]), None);
        // What went before the turn is no part of it.
        let turned = trend(&[(1, 9.0), (2, 2.0), (3, 3.0), (4, 4.0)]).unwrap();
        assert_eq!(turned.metadata["sessions"], 3);
        let mut mixed = points(&[(1, 2.0), (2, 3.0), (3, 4.0)], "%");
        mixed[0].unit = Some("$".to_owned());
        assert_eq!(of_metric(&measured("CTR"), &mixed, "en"), None);
    }

    fn mention(session: u8) -> Mention {
        Mention {
            conversation: conversation(session),
            message: Some(MessageId::new(day(0), &Fixed(session))),
            at: day(i64::from(session)),
            evidence: Some(evidence(session)),
        }
    }

    // B9
    #[test]
    fn a_pain_point_returns_in_the_third_session_or_after_it_was_resolved() {
        let found = |sessions: &[u8], resolved| {
            let mentions: Vec<_> = sessions.iter().copied().map(mention).collect();
            of_pain_point(None, "The export keeps breaking", &mentions, resolved, "en")
        };
        assert_eq!(found(&[1, 2], None), None);
        let third = found(&[1, 2, 3, 3], None).unwrap();
        assert_eq!(
            third.content,
            "Returning pain point, raised 3 times in 3 sessions: The export keeps breaking"
        );
        assert_eq!(third.evidence.len(), 3);
        let again = found(&[1, 4], Some(day(2))).unwrap();
        assert!(again.content.contains("again after it was resolved"));
        assert_eq!(found(&[1, 2], Some(day(3))), None, "resolved for good");
    }

    #[test]
    fn figures_are_written_as_one_writes_them() {
        for (value, unit, written) in [
            (2.1, Some("%"), "2.1%"),
            (1_250_000.5, Some("$"), "$1,250,000.5"),
            (-3.0, None, "-3"),
            (3.5, Some("ROAS"), "3.5 ROAS"),
            (0.1 + 0.2, None, "0.3"),
        ] {
            assert_eq!(figure(value, unit), written);
        }
    }
}
