//! What a digest says, in three languages: numbers and times only. It leaves the installation, so no words of a memory and no name of
//! anybody it is about are in it.

use chrono::Datelike;
use chrono_tz::Tz;
use domain::{Timestamp, time::Span};
use store::WaitingWork;

/// The parts of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The subject.
    pub title: String,
    /// One sentence each.
    pub lines: Vec<String>,
    /// Where to go: label and address.
    pub links: Vec<(String, String)>,
}

/// What a digest tells of.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    /// What waits.
    pub work: WaitingWork,
    /// The next digest, where days without one lie between.
    pub away_until: Option<Timestamp>,
}

/// A language that digests are written in.
struct Words {
    title: fn(i64) -> String,
    waiting: fn(i64, &str) -> String,
    soon: fn(i64, i64) -> String,
    away: fn(i64, &str) -> String,
    failed: fn(i64) -> String,
    nothing: &'static str,
    test: &'static str,
    days: fn(i64) -> String,
    hours: fn(i64) -> String,
    weekdays: [&'static str; 7],
    review: &'static str,
    jobs: &'static str,
}

const ENGLISH: Words = Words {
    title: |waiting| format!("Keepsake: {waiting} waiting for review"),
    waiting: |n, age| match n {
        1 => format!("1 proposal waits for a decision, since {age}."),
        n => format!("{n} proposals wait for a decision, the oldest since {age}."),
    },
    soon: |day, three| format!("{day} expire within 24 hours, {three} within 72 hours."),
    away: |n, when| {
        let expire = if n == 1 { "expires" } else { "expire" };
        format!("{n} {expire} before your next digest on {when}. Decide today, or ask somebody.")
    },
    failed: |n| match n {
        1 => "1 extraction failed and waits for another try.".to_owned(),
        n => format!("{n} extractions failed and wait for another try."),
    },
    nothing: "Nothing waits for you.",
    test: "This is a test. Digests arrive here.",
    days: |n| format!("{n} days"),
    hours: |n| format!("{n} h"),
    weekdays: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    review: "Open the queue",
    jobs: "See what failed",
};

const JAPANESE: Words = Words {
    title: |waiting| format!("Keepsake: 審査待ち {waiting} 件"),
    waiting: |n, age| format!("{n} 件の候補が判断を待っています。最も古いものは{age}前からです。"),
    soon: |day, three| {
        format!("24 時間以内に {day} 件、72 時間以内に {three} 件が期限切れになります。")
    },
    away: |n, when| {
        format!(
            "次のダイジェスト（{when}）までに {n} 件が期限切れになります。今日のうちに判断するか、ほかの人に頼んでください。"
        )
    },
    failed: |n| format!("{n} 件の抽出が失敗し、再試行を待っています。"),
    nothing: "審査待ちの候補はありません。",
    test: "これはテストです。ダイジェストはここに届きます。",
    days: |n| format!("{n} 日"),
    hours: |n| format!("{n} 時間"),
    weekdays: ["月", "火", "水", "木", "金", "土", "日"],
    review: "審査を開く",
    jobs: "失敗を見る",
};

const CHINESE: Words = Words {
    title: |waiting| format!("Keepsake：{waiting} 条待审核"),
    waiting: |n, age| format!("有 {n} 条候选等待审核，最早的已等待 {age}。"),
    soon: |day, three| format!("{day} 条将在 24 小时内过期，{three} 条将在 72 小时内过期。"),
    away: |n, when| {
        format!("在下一次摘要（{when}）之前将有 {n} 条过期。请今天处理，或请他人代为处理。")
    },
    failed: |n| format!("{n} 次提取失败，等待重试。"),
    nothing: "没有待审核的候选。",
    test: "这是一条测试消息。摘要会发送到这里。",
    days: |n| format!("{n} 天"),
    hours: |n| format!("{n} 小时"),
    weekdays: ["周一", "周二", "周三", "周四", "周五", "周六", "周日"],
    review: "打开审核队列",
    jobs: "查看失败",
};

fn words(language: Option<&str>) -> &'static Words {
    match language {
        Some("ja") => &JAPANESE,
        Some("zh") => &CHINESE,
        _ => &ENGLISH,
    }
}

/// Writes a digest for a reader of a language and a zone. `address` is that of the dashboard, without a slash at its end.
pub fn message(
    figures: &Figures,
    language: Option<&str>,
    zone: Tz,
    address: &str,
    now: Timestamp,
    test: bool,
) -> Message {
    let words = words(language);
    let work = &figures.work;
    let mut lines = Vec::new();
    if test {
        lines.push(words.test.to_owned());
    }
    if let Some(until) = figures.away_until
        && work.expiring_before > 0
    {
        let when = (words.away)(work.expiring_before, &moment(words, until, zone));
        lines.push(when);
    }
    match work.oldest {
        Some(oldest) => lines.push((words.waiting)(work.waiting, &age(words, now - oldest))),
        None => lines.push(words.nothing.to_owned()),
    }
    if work.expiring_72h > 0 {
        lines.push((words.soon)(work.expiring_24h, work.expiring_72h));
    }
    let mut links = vec![(words.review.to_owned(), format!("{address}/review"))];
    if work.failed > 0 {
        lines.push((words.failed)(work.failed));
        links.push((words.jobs.to_owned(), format!("{address}/jobs")));
    }
    Message {
        title: (words.title)(work.waiting),
        lines,
        links,
    }
}

fn age(words: &Words, age: Span) -> String {
    match age.num_hours().max(0) {
        hours @ 0..48 => (words.hours)(hours),
        hours => (words.days)(hours / 24),
    }
}

fn moment(words: &Words, at: Timestamp, zone: Tz) -> String {
    let local = at.with_timezone(&zone);
    let weekday = words.weekdays[local.weekday().num_days_from_monday() as usize];
    format!("{weekday} {}", local.format("%Y-%m-%d %H:%M"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(language: &str, work: WaitingWork, away: bool) -> Message {
        let now: Timestamp = "2026-12-04T08:00:00Z".parse().unwrap();
        let next: Timestamp = "2026-12-07T08:00:00Z".parse().unwrap();
        let figures = Figures {
            work,
            away_until: away.then_some(next),
        };
        let zone = Tz::Europe__Oslo;
        message(
            &figures,
            Some(language),
            zone,
            "https://keep.example",
            now,
            false,
        )
    }

    fn some() -> WaitingWork {
        WaitingWork {
            waiting: 12,
            oldest: Some("2026-11-30T07:00:00Z".parse().unwrap()),
            expiring_24h: 2,
            expiring_72h: 5,
            expiring_before: 4,
            failed: 1,
        }
    }

    // G8
    #[test]
    fn the_days_off_come_first_and_every_figure_is_said_in_three_languages() {
        let english = written("en", some(), true);
        assert_eq!(
            english.lines[0],
            "4 expire before your next digest on Mon 2026-12-07 09:00. Decide today, or ask somebody."
        );
        assert!(english.lines[1].ends_with("the oldest since 4 days."));
        assert_eq!(english.links.len(), 2);
        for language in ["en", "ja", "zh"] {
            let said = written(language, some(), true).lines.join(" ");
            for figure in ["12", "2", "5", "4", "1", "2026-12-07 09:00"] {
                assert!(said.contains(figure), "{figure}: {said}");
            }
        }
        assert_eq!(
            written("ja", some(), true).lines[0],
            "次のダイジェスト（月 2026-12-07 09:00）までに 4 件が期限切れになります。今日のうちに判断するか、ほかの人に頼んでください。"
        );
    }

    // G8
    #[test]
    fn without_days_off_there_is_no_warning_and_nothing_is_said_plainly() {
        assert_eq!(written("zh", some(), false).lines.len(), 3);
        let nothing = written("en", WaitingWork::default(), true);
        assert_eq!(nothing.lines, ["Nothing waits for you."]);
        assert_eq!(nothing.links.len(), 1);
    }
}
