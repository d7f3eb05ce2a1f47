//! Three people who use the dashboard, one of each state, and the pages about them.

use app::{
    components::form::Typed,
    pages::{
        account::{self, Account, Joining, Session, Waiting},
        admin::{self, NewLink, People, Role, RoleRow, Row, State, Subject},
    },
    shell::{Frame, Place},
    text::Language,
};
use domain::{id::PersonId, permission::RoleName, time::Span};

use super::{Counter, Page, frame, now};

fn row(number: u8, name: &str, state: State) -> Row {
    let reviewer = |agent: Option<&str>, languages: &[&str]| Role {
        agent: agent.map(str::to_owned),
        role: RoleName::Reviewer,
        languages: languages.iter().map(|&tag| tag.to_owned()).collect(),
    };
    Row {
        id: PersonId::new(now(), &Counter(number)),
        name: name.to_owned(),
        email: format!("person{number}@example.com"),
        roles: if number == 1 {
            vec![Role {
                agent: None,
                role: RoleName::Admin,
                languages: vec![],
            }]
        } else {
            vec![
                reviewer(Some("ads-buddy"), &["ja", "zh"]),
                reviewer(None, &["und"]),
            ]
        },
        state,
        signed_in_at: (state == State::Active).then(|| now() - Span::hours(3)),
        this: number == 1,
    }
}

fn people() -> People {
    let invited = State::Invited(Some(now() + Span::hours(50)));
    People {
        rows: vec![
            row(1, "Mia Keller", State::Active),
            row(2, "山本ゆき", invited),
            row(3, "Odo Brandt", State::Deactivated),
            row(4, "Lin Wu", State::Invited(None)),
        ],
        agents: vec!["ads-buddy".into(), "support".into()],
        link: None,
        typed: Typed::default(),
    }
}

fn link() -> NewLink {
    NewLink {
        name: "山本ゆき".into(),
        address: format!("https://keepsake.example/join?token={}", "3f".repeat(32)),
    }
}

fn subject(state: State) -> Subject {
    Subject {
        person: row(2, "山本ゆき", state),
        version: 3,
        rows: vec![
            RoleRow {
                role: "reviewer".into(),
                agent: "ads-buddy".into(),
                languages: vec!["ja".into(), "zh".into()],
            },
            RoleRow::default(),
        ],
        agents: vec!["ads-buddy".into(), "support".into()],
        link: None,
        typed: Typed::default(),
    }
}

fn refused() -> Typed {
    let mut typed = Typed::default();
    typed.faults.insert("roles".into(), "last_admin".into());
    typed.values.insert("name".into(), "山本 ゆき".into());
    typed
}

fn own() -> Account {
    let session = |hours: i64, this: bool| Session {
        name: format!("{hours:064}"),
        created_at: now() - Span::hours(hours),
        last_seen_at: now() - Span::minutes(hours),
        expires_at: now() + Span::hours(12 - hours),
        this,
    };
    Account {
        name: "Mia Keller".into(),
        email: "mia@example.com".into(),
        roles: row(2, "", State::Active).roles,
        may_decide: true,
        sessions: vec![session(1, true), session(4, false)],
        typed: Typed::default(),
    }
}

/// The pages, with their names.
pub fn pages(language: Language) -> Vec<(&'static str, Page)> {
    let at = move |place| frame(language, place);
    let nobody = move || Frame {
        person: None,
        menu: vec![],
        ..frame(language, Place::Elsewhere)
    };
    let joining = |first| Joining {
        token: "3f".repeat(32),
        email: "yuki@example.com".into(),
        first,
    };
    vec![
        (
            "admin",
            Box::new(move || admin::admin(&at(Place::People), &people())) as Page,
        ),
        (
            "admin-invited",
            Box::new(move || {
                let invited = People {
                    link: Some(link()),
                    ..people()
                };
                admin::admin(&at(Place::People), &invited)
            }),
        ),
        (
            "person",
            Box::new(move || admin::person(&at(Place::People), &subject(State::Active))),
        ),
        (
            "person-refused",
            Box::new(move || {
                let refused = Subject {
                    typed: refused(),
                    link: Some(link()),
                    ..subject(State::Invited(None))
                };
                admin::person(&at(Place::People), &refused)
            }),
        ),
        (
            "person-deactivated",
            Box::new(move || admin::person(&at(Place::People), &subject(State::Deactivated))),
        ),
        (
            "account",
            Box::new(move || account::account(&at(Place::Elsewhere), &own())),
        ),
        (
            "confirm",
            Box::new(move || {
                let waiting = Waiting {
                    to: "/admin/people".into(),
                    fields: vec![("name".into(), "Odo \"Bo\" Brandt".into())],
                    confirms: "confirm_password",
                };
                account::confirm(&at(Place::Elsewhere), Some(&waiting))
            }),
        ),
        (
            "confirm-gone",
            Box::new(move || account::confirm(&at(Place::Elsewhere), None)),
        ),
        (
            "join",
            Box::new(move || account::join(&nobody(), &Typed::default(), Some(&joining(true)))),
        ),
        (
            "join-reset",
            Box::new(move || account::join(&nobody(), &Typed::default(), Some(&joining(false)))),
        ),
        (
            "join-gone",
            Box::new(move || account::join(&nobody(), &Typed::default(), None)),
        ),
    ]
}
