//! What denies what is stored, and what only looks as if it did.

use super::*;
use crate::candidate::Evidence;

const CONTRADICTION: &[Flag] = &[Flag::Contradiction];

/// What `said` is to a memory that says `stored`.
fn beside(kind: &str, name: Option<&str>, stored: &str, said: Proposal) -> Judgement {
    let stored = Stored {
        memories: vec![memory(1, kind, name, stored)],
        ..Default::default()
    };
    judge(&said, &[], &stored)
}

// B5
#[test]
fn what_is_so_no_longer_is_an_update_and_a_contradiction_either_way() {
    for (is, is_not) in [
        ("User likes coffee", "User no longer likes coffee"),
        ("User likes coffee", "User does not like coffee anymore"),
        ("User works at Acme", "User no longer works at Acme"),
        ("User uses Vim", "User stopped using Vim"),
        (
            "ユーザーはAcmeで働いている",
            "ユーザーはもうAcmeで働いていない",
        ),
        (
            "ユーザーはコーヒーが好き",
            "ユーザーはコーヒーは好きではない",
        ),
        ("用户喜欢咖啡", "用户不再喜欢咖啡"),
    ] {
        for (stored, said) in [(is, is_not), (is_not, is)] {
            // The kind is an opinion.
            for (kind, other) in [
                ("fact", "fact"),
                ("preference", "fact"),
                ("fact", "preference"),
            ] {
                let judged = beside(kind, None, stored, says(other, None, said));
                assert_eq!(judged, update(1, CONTRADICTION, &[]), "{stored} / {said}");
            }
        }
    }
}

// B5
#[test]
fn a_denial_of_something_else_is_no_contradiction() {
    for (stored, said) in [
        ("User works at Acme", "User no longer works late"),
        ("User likes coffee", "User no longer likes tea"),
        ("User uses Vim", "User stopped using Emacs"),
        ("ユーザーはコーヒーが好き", "ユーザーは紅茶は好きではない"),
        ("用户喜欢咖啡", "用户不再喜欢喝茶"),
    ] {
        for (stored, said) in [(stored, said), (said, stored)] {
            let judged = beside("fact", None, stored, says("fact", None, said));
            assert_eq!(judged, create(&[], &[]), "{stored} / {said}");
        }
    }
}

// B5
#[test]
fn opposite_decisions_fill_one_slot() {
    for (to, not_to) in [
        (
            "pause campaign Alpha because the CPA was too high",
            "not to pause campaign Alpha",
        ),
        ("Use Redis for the queue", "Stop using Redis for the queue"),
        (
            "CPAが高すぎるため、キャンペーンAlphaを一時停止する",
            "キャンペーンAlphaは一時停止しない",
        ),
        ("决定暂停Alpha活动，因为成本太高", "不暂停Alpha活动"),
    ] {
        for (stored, said) in [(to, not_to), (not_to, to)] {
            let named = says("decision", Some(said), said);
            assert_eq!(
                beside("decision", Some(stored), stored, named),
                update(1, CONTRADICTION, &[])
            );
            let bare = says("decision", None, said);
            assert_eq!(
                beside("decision", None, stored, bare),
                update(1, CONTRADICTION, &[])
            );
        }
    }
    let other = says("decision", None, "not to pause campaign Beta");
    assert_eq!(
        beside("decision", None, "pause campaign Alpha", other),
        create(&[], &[])
    );
}

// A3, B5
#[test]
fn a_decision_said_again_is_a_sighting_and_its_reason_is_news() {
    let why = "pause campaign Alpha because the CPA was too high";
    let bare = "pause campaign Alpha";
    assert_eq!(
        beside("decision", None, why, says("decision", None, bare)),
        Judgement::SeenAgain(Seen::Memory(mem(1)))
    );
    assert_eq!(
        beside("decision", None, bare, says("decision", None, why)),
        update(1, &[], &[])
    );
}

// B5, B9
#[test]
fn values_of_a_metric_at_different_periods_are_a_series() {
    let conversation = |n: u8| crate::id::ConversationId::new(Timestamp::UNIX_EPOCH, &Byte(n));
    let judged = |stored: Option<&str>, said: Option<&str>, session: u8| {
        let mut first = memory(1, "metric", Some("CPA"), "CPA was 42 dollars");
        first.period = stored.map(str::to_owned);
        first.conversation = Some(conversation(1));
        let mut next = says("metric", Some("CPA"), "CPA was 41 dollars");
        if let Some(period) = said {
            next.metadata.insert("period".to_owned(), period.into());
        }
        next.evidence = vec![Evidence {
            conversation: conversation(session),
            message: None,
            start: 0,
            end: 3,
            quote: "CPA".to_owned(),
        }];
        let stored = Stored {
            memories: vec![first],
            ..Default::default()
        };
        judge(&next, &[], &stored)
    };
    for (stored, said, session, flags) in [
        (Some("March"), Some("April"), 2, &[][..]),
        (Some("March"), Some("April"), 1, &[]),
        (Some("March"), Some("march"), 2, CONTRADICTION),
        (Some("March"), Some("March"), 1, CONTRADICTION),
        (None, None, 2, &[]),
        (Some("March"), None, 2, &[]),
        (None, Some("April"), 2, &[]),
        // A correction of what was just said.
        (None, None, 1, CONTRADICTION),
        // Another month by now.
        (Some("last month"), Some("last month"), 2, &[]),
        (Some("先月"), Some("先月"), 1, CONTRADICTION),
    ] {
        assert_eq!(
            judged(stored, said, session),
            update(1, flags, &[]),
            "{stored:?} {said:?} {session}"
        );
    }
}
