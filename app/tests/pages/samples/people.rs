//! Three people who use the dashboard, one of each state, and the pages about them.

use app::{
    components::form::Typed,
    pages::{
        account::{self, Account, Joining, SecondFactor, Session, Standing, Waiting, Waits},
        admin::{self, Asks, Kept, NewLink, People, Role, RoleRow, Row, Running, State, Subject},
        sign_in,
    },
    shell::{Frame, Notice, Place, Tone},
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
        second_factor: state == State::Active,
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
        running: running(),
        typed: Typed::default(),
    }
}

fn running() -> Running {
    Running {
        sessions: (3, 2),
        address: "https://keepsake.example".into(),
        limits: (200, 400),
        private: "10.1.0.0/16, runtime.internal".into(),
        verified: Some((now() - Span::hours(7), 0)),
        kept: Kept {
            conversations: Some(Span::days(365)),
            rejected: Some(Span::days(90)),
            servings: None,
            export_records: None,
            export_files: Span::days(7),
        },
        mail_from: Some("Keepsake <keepsake@example.com>".into()),
        extractor: "openai::gpt-4.1-mini".into(),
        extractor_address: String::new(),
        agents: vec![
            Asks {
                agent: "ads-buddy".into(),
                extractor: Some("builtin".into()),
                allowed: vec!["builtin".into(), "https://models.example/v1/".into()],
                tokens: 0,
                cost: None,
            },
            Asks {
                agent: "support".into(),
                extractor: None,
                allowed: vec![],
                tokens: 12_400,
                cost: Some(0.31),
            },
        ],
        more_agents: 0,
        holds: 2,
        postgres: false,
    }
}

/// Nothing is set, nothing was looked at yet, and the database is PostgreSQL.
fn running_bare() -> Running {
    Running {
        private: String::new(),
        verified: None,
        mail_from: None,
        extractor_address: "https://gateway.example/v1/".into(),
        agents: vec![],
        more_agents: 12,
        holds: 0,
        postgres: true,
        ..running()
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
        sessions: vec![session(1, false), session(4, false)],
        typed: Typed::default(),
    }
}

fn session(hours: i64, this: bool) -> Session {
    Session {
        name: format!("{hours:064}"),
        created_at: now() - Span::hours(hours),
        last_seen_at: now() - Span::minutes(hours),
        expires_at: now() + Span::hours(12 - hours),
        this,
    }
}

fn refused() -> Typed {
    let mut typed = Typed::default();
    typed.faults.insert("roles".into(), "last_admin".into());
    typed.values.insert("name".into(), "山本 ゆき".into());
    typed
}

fn own() -> Account {
    Account {
        name: "Mia Keller".into(),
        email: "mia@example.com".into(),
        roles: row(2, "", State::Active).roles,
        second_factor_at: None,
        may_decide: true,
        sessions: vec![session(1, true), session(4, false)],
        typed: Typed::default(),
    }
}

fn second(standing: Standing) -> SecondFactor {
    SecondFactor {
        standing,
        codes: vec![],
        typed: Typed::default(),
    }
}

fn waits() -> Standing {
    Standing::Waits(Waits {
        secret: "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ".into(),
        address: "otpauth://totp/Keepsake:mia%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Keepsake"
            .into(),
    })
}

fn on(codes_left: u64) -> Standing {
    Standing::On {
        since: now() - Span::days(40),
        codes_left,
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
            "admin-bare",
            Box::new(move || {
                let bare = People {
                    running: running_bare(),
                    ..people()
                };
                admin::admin(&at(Place::People), &bare)
            }),
        ),
        (
            "person-own",
            Box::new(move || {
                let own = Subject {
                    person: row(1, "Mia Keller", State::Active),
                    ..subject(State::Active)
                };
                admin::person(&at(Place::People), &own)
            }),
        ),
        (
            "person-signed-out",
            Box::new(move || {
                let nowhere = Subject {
                    sessions: vec![],
                    ..subject(State::Active)
                };
                admin::person(&at(Place::People), &nowhere)
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
                    confirms_code: None,
                };
                account::confirm(&at(Place::Elsewhere), Some(&waiting))
            }),
        ),
        (
            "confirm-code",
            Box::new(move || {
                let waiting = Waiting {
                    to: "/account/second-factor/disable".into(),
                    fields: vec![],
                    confirms: "confirm_password",
                    confirms_code: Some("confirm_code"),
                };
                account::confirm(&at(Place::Elsewhere), Some(&waiting))
            }),
        ),
        (
            "account-second-factor",
            Box::new(move || {
                let own = Account {
                    second_factor_at: Some(now() - Span::days(40)),
                    ..own()
                };
                account::account(&at(Place::Elsewhere), &own)
            }),
        ),
        (
            "second-factor",
            Box::new(move || account::second_factor(&at(Place::Elsewhere), &second(Standing::Off))),
        ),
        (
            "second-factor-waits",
            Box::new(move || account::second_factor(&at(Place::Elsewhere), &second(waits()))),
        ),
        (
            "second-factor-refused",
            Box::new(move || {
                let mut refused = second(waits());
                let faults = &mut refused.typed.faults;
                faults.insert("code".into(), "wrong_code".into());
                account::second_factor(&at(Place::Elsewhere), &refused)
            }),
        ),
        (
            "second-factor-on",
            Box::new(move || account::second_factor(&at(Place::Elsewhere), &second(on(2)))),
        ),
        (
            "second-factor-codes",
            Box::new(move || {
                let shown = SecondFactor {
                    codes: (0..10).map(|n| format!("{n}bcde-fghj{n}")).collect(),
                    ..second(on(10))
                };
                account::second_factor(&at(Place::Elsewhere), &shown)
            }),
        ),
        (
            "login-code",
            Box::new(move || {
                let refused = Frame {
                    notice: Some(Notice {
                        tone: Tone::Bad,
                        line: language.text().second_factor.wrong.into(),
                        ..super::notice_of_nothing()
                    }),
                    ..nobody()
                };
                let again = "/login?next=%2Freview&kept=0f0f";
                sign_in::code(&refused, "3f3f", "/review", Some("0f0f"), again)
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
