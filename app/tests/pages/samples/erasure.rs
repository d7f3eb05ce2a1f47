//! Sample data: who can be erased, who is kept by a hold, who is gone; and what retention left of a conversation.

use app::{
    components::{form::Typed, transcript::Transcript},
    pages::{
        candidate, conversation,
        holds::{Hold, Holds, holds},
        memory, user,
    },
    shell::Place,
    text::Language,
};
use domain::{
    erasure::{ErasureCounts, ErasureReason},
    id::{HoldId, RequestId},
    memory::MemoryStatus,
    time::Span,
};

use super::{
    Counter, Page, conversation_id, frame, now, one_conversation, one_memory, one_user, sample,
    user_id,
};

/// A hold on one person, in every agent, or on an agent.
fn hold(number: u8) -> Hold {
    let of_user = number == 1;
    Hold {
        id: HoldId::new(now(), &Counter(number)),
        agent: (number != 2).then(|| "support".to_owned()),
        user: of_user.then(user_id),
        who: (number != 3).then(|| "山本ゆき".to_owned()),
        reason: "Case 12-345, ordered by the court of Oslo".into(),
        by: "Mia Keller".into(),
        created_at: now() - Span::days(12),
        until: (number != 1).then(|| now() + Span::days(30)),
        released: None,
    }
}

fn listed() -> Holds {
    let released = Hold {
        released: Some((now() - Span::days(1), "Odo Brandt".into())),
        ..hold(1)
    };
    let over = Hold {
        until: Some(now() - Span::days(2)),
        ..hold(2)
    };
    Holds {
        rows: vec![hold(1), hold(2), hold(3), released, over],
        next: Some("cursor".into()),
        may_release: true,
        agents: vec!["sales".into(), "support".into()],
        typed: Typed::default(),
    }
}

fn counts() -> ErasureCounts {
    ErasureCounts {
        conversations: 12,
        messages: 1_310,
        extractions: 40,
        candidates: 31,
        decisions: 29,
        memories: 11,
        revisions: 17,
        servings: 4_020,
        jobs: 44,
        exports: 0,
    }
}

fn request_id() -> RequestId {
    RequestId::new(now(), &Counter(21))
}

fn erasing(holds: Vec<Hold>, typed: Typed) -> user::User {
    user::User {
        erasing: Some(user::Erasing {
            counts: counts(),
            version: 812,
            holds,
            with: Vec::new(),
            stays: None,
            may_everywhere: true,
            request: Some(request_id()),
            typed,
        }),
        ..one_user()
    }
}

/// Somebody typed another name, and no reason for a hold.
fn refused() -> Typed {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Typed {
        values: [pair("confirm", "anna"), pair("why", "objected")].into(),
        faults: [
            pair("confirm", "not_the_name"),
            pair("reason", "required"),
            pair("until", "past"),
        ]
        .into(),
    }
}

fn erased() -> user::Erased {
    user::Erased {
        id: user_id(),
        agent: "support".into(),
        known_since: now() - Span::days(200),
        erased_at: now() - Span::hours(3),
        by: "Mia Keller".into(),
        reason: ErasureReason::AskedFor,
        counts: counts(),
        request: Some(request_id()),
        may_requests: true,
        may_audit: true,
    }
}

/// What is left of a conversation that was removed.
fn words() -> Transcript {
    Transcript {
        conversation: conversation_id(),
        turns: Vec::new(),
        left_out: 0,
        quotes: vec!["We switched Alpha to target CPA".into(), "目標CPA".into()],
    }
}

/// The pages with their names.
pub fn pages(language: Language) -> Vec<(&'static str, Page)> {
    let at = move |place| frame(language, place);
    vec![
        (
            "holds",
            Box::new(move || holds(&at(Place::Users), &listed())) as Page,
        ),
        (
            "holds-none",
            Box::new(move || {
                let none = Holds {
                    rows: Vec::new(),
                    next: None,
                    may_release: false,
                    agents: Vec::new(),
                    typed: Typed::default(),
                };
                holds(&at(Place::Users), &none)
            }),
        ),
        (
            "user-erasing",
            Box::new(move || user::user(&at(Place::Users), &erasing(Vec::new(), Typed::default()))),
        ),
        (
            "user-erasing-refused",
            Box::new(move || user::user(&at(Place::Users), &erasing(Vec::new(), refused()))),
        ),
        (
            "user-held",
            Box::new(move || {
                let held = vec![hold(1), hold(2)];
                user::user(&at(Place::Users), &erasing(held, Typed::default()))
            }),
        ),
        (
            "user-erased",
            Box::new(move || user::erased(&at(Place::Users), &erased())),
        ),
        (
            "conversation-removed",
            Box::new(move || {
                let removed = conversation::Conversation {
                    removed_at: Some(now() - Span::days(1)),
                    external_id: None,
                    time_zone: None,
                    turns: Vec::new(),
                    operations: Vec::new(),
                    ..one_conversation()
                };
                conversation::conversation(&at(Place::Users), &removed)
            }),
        ),
        (
            "candidate-removed",
            Box::new(move || candidate::removed(&at(Place::Review), now() - Span::days(1))),
        ),
        (
            "candidate-words",
            Box::new(move || {
                let mut waits = sample(&[], candidate::Standing::Waiting);
                waits.transcripts = vec![words()];
                candidate::candidate(&at(Place::Review), &waits)
            }),
        ),
        (
            "memory-words",
            Box::new(move || {
                let mut bare = one_memory(MemoryStatus::Approved);
                bare.transcripts = vec![words()];
                memory::memory(&at(Place::Memories), &bare)
            }),
        ),
    ]
}
