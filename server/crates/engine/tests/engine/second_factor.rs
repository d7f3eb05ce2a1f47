//! The second factor: set up, asked for, used up, lost. The app is a real one in that it reads the address which people scan.

use std::net::IpAddr;

use domain::{
    audit::EventType,
    id::PersonId,
    permission::{Permission, Permit},
    time::Span,
};
use engine::{
    EngineError, Entry, EventFilter, LinkToken, NewPerson, Page, PersonPatch, PersonView,
};
use secrecy::SecretString;
use store::testing::TestDb;
use totp_rs::Totp;

use crate::world::{World, system, whole};

const EMAIL: &str = "root@example.com";

fn right() -> SecretString {
    SecretString::from("tangle orbit melon nine")
}

fn here() -> IpAddr {
    "127.0.0.1".parse().unwrap()
}

fn manages() -> Permit {
    system(Permission::ManagePeople)
}

/// An app on somebody's phone.
struct App(Totp);

impl App {
    /// What it shows, so many seconds from now.
    fn shows(&self, world: &World, seconds: i64) -> String {
        let at = (world.engine.now() + Span::seconds(seconds)).timestamp();
        self.0.generate(u64::try_from(at).unwrap()).to_string()
    }

    /// A code that it shows at no time near this one.
    fn never_shows(&self, world: &World) -> String {
        let near: Vec<String> = (-3..=3).map(|step| self.shows(world, step * 30)).collect();
        let mut codes = (0..).map(|code| format!("{code:06}"));
        codes.find(|code| !near.contains(code)).unwrap()
    }
}

async fn root(world: &World) -> PersonView {
    let new = NewPerson {
        name: "Root".into(),
        email: EMAIL.into(),
        password: right(),
    };
    let administers = engine::person::administrator();
    world
        .engine
        .create_person(&manages(), new, administers)
        .await
        .unwrap()
}

/// Has the person set it up, and lets the code that did it grow old.
async fn set_up(world: &World, id: &PersonId) -> (App, Vec<String>) {
    world.engine.begin_second_factor(id).await.unwrap();
    let setup = world.engine.second_factor_setup(id).await.unwrap().unwrap();
    let app = App(Totp::from_url(&setup.address).unwrap());
    let code = app.shows(world, 0);
    let codes = world
        .engine
        .enable_second_factor(id, &code, "token-of-root")
        .await
        .unwrap();
    world.pass(Span::minutes(2));
    (app, codes.reveal().to_vec())
}

/// Gives the right password.
async fn half(world: &World) -> LinkToken {
    match world.engine.sign_in(EMAIL, right(), here()).await.unwrap() {
        Entry::Half(token) => token,
        Entry::Whole(_) => panic!("no code was asked for"),
    }
}

/// Gives the right password, and then this code.
async fn gives(world: &World, code: &str) -> Result<PersonView, EngineError> {
    let token = half(world).await;
    world
        .engine
        .sign_in_with_code(token.reveal(), code, here())
        .await
}

async fn told(world: &World, types: &[EventType]) -> Vec<(String, serde_json::Value)> {
    let filter = EventFilter {
        types: types.to_vec(),
        ..EventFilter::default()
    };
    let reads = system(Permission::ReadAudit);
    let page = Page {
        limit: 50,
        ..Page::default()
    };
    let list = world.engine.events(&reads, &filter, &page).await.unwrap();
    let events = list.data.into_iter().map(|event| {
        let event = serde_json::to_value(event).unwrap();
        (
            event["type"].as_str().unwrap().to_owned(),
            event["data"].clone(),
        )
    });
    events.collect()
}

store::both! {
    async fn it_is_switched_on_by_its_first_code_and_asked_for_from_then_on(db: &TestDb) {
        let world = World::new(db).await;
        let engine = &world.engine;
        let root = root(&world).await;
        let until = engine.now() + Span::hours(12);
        for token in ["token-of-root", "elsewhere"] {
            engine.save_session(token, Some((&root.id, engine.now())), b"{}", until).await.unwrap();
        }
        assert!(engine.second_factor_setup(&root.id).await.unwrap().is_none());
        engine.begin_second_factor(&root.id).await.unwrap();
        let first = engine.second_factor_setup(&root.id).await.unwrap().unwrap();
        engine.begin_second_factor(&root.id).await.unwrap();
        let setup = engine.second_factor_setup(&root.id).await.unwrap().unwrap();
        assert_ne!(first, setup, "begun anew, another secret");
        assert!(setup.address.starts_with("otpauth://totp/Keepsake:root%40example.com?secret="), "{}", setup.address);
        assert!(setup.address.contains(&setup.secret.replace(' ', "")));
        let app = App(Totp::from_url(&setup.address).unwrap());

        let wrong = engine.enable_second_factor(&root.id, &app.never_shows(&world), "token-of-root").await.unwrap_err();
        assert_eq!((wrong.fields()[0].pointer.as_str(), wrong.fields()[0].code), ("/code", "wrong_code"));
        whole(engine.sign_in(EMAIL, right(), here()).await.unwrap());
        let code = app.shows(&world, 0);
        let typed = format!(" {} {} ", &code[..3], &code[3..]);
        let codes = engine.enable_second_factor(&root.id, &typed, "token-of-root").await.unwrap();
        assert_eq!((codes.reveal().len(), engine.recovery_codes_left(&root.id).await.unwrap()), (10, 10));
        assert!(engine.second_factor_setup(&root.id).await.unwrap().is_none(), "it is shown no more");
        assert!(engine.session("token-of-root").await.unwrap().is_some());
        assert!(engine.session("elsewhere").await.unwrap().is_none(), "who came with the password alone is out");
        let since = engine.person(&root.id).await.unwrap().unwrap().second_factor_at;
        assert_eq!(since, Some(engine.now()));
        engine.begin_second_factor(&root.id).await.unwrap();
        assert!(engine.second_factor_setup(&root.id).await.unwrap().is_none(), "what is on is not replaced");

        let again = gives(&world, &code).await.unwrap_err();
        assert_eq!((again.code(), again.status()), ("wrong_code", 401), "it has been used to switch it on");
        world.pass(Span::seconds(30));
        let token = half(&world).await;
        assert!(engine.sign_in_waits(token.reveal()).await.unwrap());
        let before = told(&world, &[EventType::PersonSignedIn]).await.len();
        let entered = engine.sign_in_with_code(token.reveal(), &app.shows(&world, 0), here()).await.unwrap();
        assert_eq!((&entered.id, entered.signed_in_at), (&root.id, Some(engine.now())));
        let signed_in = told(&world, &[EventType::PersonSignedIn]).await;
        assert_eq!(signed_in.len(), before + 1, "only the whole of it is a sign-in");
        assert!(signed_in.iter().any(|(_, data)| *data == serde_json::json!({"second_factor": "code"})));
        world.pass(Span::seconds(30));
        let late = engine.sign_in_with_code(token.reveal(), &app.shows(&world, 0), here()).await.unwrap_err();
        assert_eq!((late.code(), late.status()), ("sign_in_over", 410), "its token is good for one");
        assert!(!engine.sign_in_waits(token.reveal()).await.unwrap());

        engine.disable_second_factor(&root.id).await.unwrap();
        whole(engine.sign_in(EMAIL, right(), here()).await.unwrap());
        assert_eq!(engine.disable_second_factor(&root.id).await.unwrap_err().code(), "no_second_factor");
        assert_eq!(engine.renew_recovery_codes(&root.id).await.unwrap_err().code(), "no_second_factor");
        assert_eq!(engine.recovery_codes_left(&root.id).await.unwrap(), 0);
        let kinds = [EventType::PersonSecondFactorEnabled, EventType::PersonSecondFactorDisabled];
        assert_eq!(told(&world, &kinds).await.len(), 2);
        world.verify().await;
    }

    // G7
    async fn a_sign_in_with_the_password_alone_that_is_under_way_is_none_once_it_is_on(db: &TestDb) {
        let world = World::new(db).await;
        let engine = &world.engine;
        let root = root(&world).await;
        engine.begin_second_factor(&root.id).await.unwrap();
        let setup = engine.second_factor_setup(&root.id).await.unwrap().unwrap();
        let code = App(Totp::from_url(&setup.address).unwrap()).shows(&world, 0);
        // While the password is checked, the code switches it on.
        let (signed, on) = tokio::join!(
            engine.sign_in(EMAIL, right(), here()),
            engine.enable_second_factor(&root.id, &code, "token-of-root"),
        );
        signed.unwrap();
        on.unwrap();
        let enabled = told(&world, &[EventType::PersonSecondFactorEnabled]).await;
        let both = told(&world, &[EventType::PersonSecondFactorEnabled, EventType::PersonSignedIn]).await;
        assert_eq!(both[0], enabled[0], "nobody is in after it without a code");
        world.verify().await;
    }

    // G7
    async fn a_session_from_before_it_was_on_is_not_kept_later(db: &TestDb) {
        let world = World::new(db).await;
        let engine = &world.engine;
        let root = root(&world).await;
        let entered = whole(engine.sign_in(EMAIL, right(), here()).await.unwrap()).signed_in_at.unwrap();
        world.pass(Span::seconds(1));
        set_up(&world, &root.id).await;
        let until = engine.now() + Span::hours(12);
        engine.save_session("late", Some((&root.id, entered)), b"{}", until).await.unwrap();
        assert!(engine.session("late").await.unwrap().is_none(), "its password came before the second factor");
        engine.save_session("with-a-code", Some((&root.id, engine.now())), b"{}", until).await.unwrap();
        assert!(engine.session("with-a-code").await.unwrap().is_some());
        engine.disable_second_factor(&root.id).await.unwrap();
        engine.save_session("late", Some((&root.id, entered)), b"{}", until).await.unwrap();
        assert!(engine.session("late").await.unwrap().is_some(), "without one any password will do");
    }

    async fn a_secret_that_nobody_confirmed_holds_for_half_an_hour(db: &TestDb) {
        let world = World::new(db).await;
        let root = root(&world).await;
        world.engine.begin_second_factor(&root.id).await.unwrap();
        let setup = world.engine.second_factor_setup(&root.id).await.unwrap().unwrap();
        let app = App(Totp::from_url(&setup.address).unwrap());
        world.pass(engine::second_factor::SETUP_HOLDS);
        assert!(world.engine.second_factor_setup(&root.id).await.unwrap().is_none());
        let late = world.engine.enable_second_factor(&root.id, &app.shows(&world, 0), "").await.unwrap_err();
        assert_eq!((late.code(), late.status()), ("no_second_factor", 409));
        whole(world.engine.sign_in(EMAIL, right(), here()).await.unwrap());
    }

    async fn a_code_is_taken_once_and_one_step_early_or_late(db: &TestDb) {
        let world = World::new(db).await;
        let root = root(&world).await;
        let (app, _) = set_up(&world, &root.id).await;
        for far in [-60, 60] {
            let refused = gives(&world, &app.shows(&world, far)).await.unwrap_err();
            assert_eq!(refused.code(), "wrong_code", "{far}");
        }
        gives(&world, &app.shows(&world, -30)).await.unwrap();
        gives(&world, &app.shows(&world, 30)).await.unwrap();
        for used in [-30, 0, 30] {
            let refused = gives(&world, &app.shows(&world, used)).await.unwrap_err();
            assert_eq!(refused.code(), "wrong_code", "{used}: used, or older than one that was");
        }
        world.pass(Span::seconds(60));
        gives(&world, &app.shows(&world, 0)).await.unwrap();
    }

    async fn of_many_who_read_one_code_over_a_shoulder_one_is_in(db: &TestDb) {
        let world = World::new(db).await;
        let root = root(&world).await;
        let (app, codes) = set_up(&world, &root.id).await;
        for code in [app.shows(&world, 0), codes[0].clone()] {
            let mut tokens = Vec::new();
            for _ in 0..5 {
                tokens.push(half(&world).await);
            }
            let mut tasks = tokio::task::JoinSet::new();
            for token in tokens {
                let (engine, code) = (world.engine.clone(), code.clone());
                tasks.spawn(async move { engine.sign_in_with_code(token.reveal(), &code, here()).await.map(drop) });
            }
            let (entered, refused): (Vec<_>, Vec<_>) = tasks.join_all().await.into_iter().partition(Result::is_ok);
            let refused: Vec<_> = refused.into_iter().map(|one| one.unwrap_err().code()).collect();
            assert_eq!(entered.len(), 1, "{refused:?}");
            assert!(refused.iter().all(|code| *code == "wrong_code"), "{refused:?}");
            // What the others tried is forgotten for the second round.
            world.pass(Span::minutes(16));
            gives(&world, &app.shows(&world, 0)).await.unwrap();
        }
    }

    async fn a_recovery_code_signs_in_once_and_new_ones_replace_the_old(db: &TestDb) {
        let world = World::new(db).await;
        let root = root(&world).await;
        let (_, codes) = set_up(&world, &root.id).await;
        gives(&world, &codes[3].to_uppercase()).await.unwrap();
        assert_eq!(gives(&world, &codes[3]).await.unwrap_err().code(), "wrong_code");
        assert_eq!(world.engine.recovery_codes_left(&root.id).await.unwrap(), 9);
        let signed_in = told(&world, &[EventType::PersonSignedIn]).await;
        assert!(signed_in.iter().any(|(_, data)| *data == serde_json::json!({"second_factor": "recovery_code"})));
        assert!(!format!("{signed_in:?}").contains(&codes[3]));

        let renewed = world.engine.renew_recovery_codes(&root.id).await.unwrap();
        assert_eq!(world.engine.recovery_codes_left(&root.id).await.unwrap(), 10);
        assert_eq!(gives(&world, &codes[4]).await.unwrap_err().code(), "wrong_code");
        gives(&world, &renewed.reveal()[0]).await.unwrap();
        assert_eq!(told(&world, &[EventType::PersonRecoveryCodesRenewed]).await.len(), 1);
        world.verify().await;
    }

    // G7
    async fn wrong_codes_wait_as_wrong_passwords_do_and_a_right_password_takes_none_back(db: &TestDb) {
        let world = World::new(db).await;
        let root = root(&world).await;
        let (app, _) = set_up(&world, &root.id).await;
        for _ in 0..6 {
            let refused = gives(&world, &app.never_shows(&world)).await.unwrap_err();
            assert_eq!(refused.code(), "wrong_code");
        }
        let waits = world.engine.sign_in(EMAIL, right(), here()).await.unwrap_err();
        assert_eq!((waits.code(), waits.status()), ("throttled", 429));
        world.pass(Span::seconds(2));
        let token = half(&world).await;
        let refused = world.engine.sign_in_with_code(token.reveal(), &app.never_shows(&world), here()).await;
        assert_eq!(refused.unwrap_err().code(), "wrong_code");
        let waits = world.engine.sign_in_with_code(token.reveal(), &app.shows(&world, 0), here()).await;
        assert!(matches!(waits, Err(EngineError::Throttled { .. })), "not even the right one is looked at");
        world.pass(Span::seconds(3));
        world.engine.sign_in_with_code(token.reveal(), &app.shows(&world, 0), here()).await.unwrap();
        // Who is in begins anew.
        for _ in 0..5 {
            assert_eq!(gives(&world, &app.never_shows(&world)).await.unwrap_err().code(), "wrong_code");
        }
        world.pass(Span::seconds(60));
        gives(&world, &app.shows(&world, 0)).await.unwrap();
    }

    async fn a_sign_in_between_its_pages_ends_with_time_another_password_and_shutting_out(db: &TestDb) {
        let world = World::new(db).await;
        let root = root(&world).await;
        let other = NewPerson { name: "Ada".into(), email: "ada@example.com".into(), password: right() };
        world.engine.create_person(&manages(), other, engine::person::administrator()).await.unwrap();
        let (app, codes) = set_up(&world, &root.id).await;
        let over = async |token: &LinkToken| {
            let refused = world.engine.sign_in_with_code(token.reveal(), &app.shows(&world, 0), here()).await;
            assert_eq!(refused.unwrap_err().code(), "sign_in_over");
            assert!(!world.engine.sign_in_waits(token.reveal()).await.unwrap());
        };
        let token = half(&world).await;
        world.pass(Span::minutes(10));
        over(&token).await;

        let token = half(&world).await;
        let wanted = SecretString::from("quiet harbour lantern six");
        let changes = async |present: SecretString, code: &str| {
            world.engine.change_password(&root.id, (present, wanted.clone()), code, "token-of-root", here()).await
        };
        for (present, code) in [
            (right(), app.never_shows(&world)), (right(), String::new()), (SecretString::from("not the password"), codes[0].clone()),
        ] {
            assert_eq!(changes(present, &code).await.unwrap_err().code(), "wrong_credentials", "which of the two is not said");
        }
        changes(right(), &codes[0]).await.unwrap();
        over(&token).await;
        let link = world.engine.password_link(&manages(), &root.id).await.unwrap();
        let Entry::Half(token) = world.engine.join(link.link.reveal(), right()).await.unwrap() else {
            panic!("a link for another password is no way around the code");
        };
        world.engine.sign_in_with_code(token.reveal(), &app.shows(&world, 0), here()).await.unwrap();

        let token = half(&world).await;
        let shut_out = PersonPatch { active: Some(false), ..PersonPatch::default() };
        world.engine.change_person(&manages(), &root.id, None, shut_out).await.unwrap();
        over(&token).await;
        // A flash of a page is no sign-in, and neither is nothing.
        let flash = world.engine.put_flash(br#"{"code": "saved", "fields": {}}"#).await.unwrap();
        for token in [flash.as_str(), ""] {
            assert!(!world.engine.sign_in_waits(token).await.unwrap());
        }
    }

    async fn who_confirms_is_not_told_which_of_the_two_was_wrong(db: &TestDb) {
        let world = World::new(db).await;
        let root = root(&world).await;
        let (app, _) = set_up(&world, &root.id).await;
        let wrong = || SecretString::from("not the password");
        let code = app.shows(&world, 0);
        for (password, code) in [(right(), app.never_shows(&world)), (right(), String::new()), (wrong(), code.clone())] {
            let refused = world.engine.confirm(&root.id, password, &code, here()).await.unwrap_err();
            assert_eq!(refused.code(), "wrong_credentials");
        }
        let confirmed = world.engine.confirm(&root.id, right(), &code, here()).await.unwrap();
        assert_eq!(confirmed.id, root.id, "a code beside a wrong password was not used up");
        world.engine.disable_second_factor(&root.id).await.unwrap();
        world.engine.confirm(&root.id, right(), "", here()).await.unwrap();
    }

    async fn who_has_lost_everything_is_let_in_again_by_an_administrator(db: &TestDb) {
        let world = World::new(db).await;
        let root = root(&world).await;
        let (app, codes) = set_up(&world, &root.id).await;
        let until = world.engine.now() + Span::hours(12);
        world.engine.save_session("of-a-thief", Some((&root.id, world.engine.now())), b"{}", until).await.unwrap();
        let token = half(&world).await;
        let decides = system(Permission::Decide);
        assert!(matches!(world.engine.reset_second_factor(&decides, &root.id).await, Err(EngineError::Forbidden)));
        let after = world.engine.reset_second_factor(&manages(), &root.id).await.unwrap();
        assert_eq!(after.second_factor_at, None);
        assert!(world.engine.session("of-a-thief").await.unwrap().is_none());
        let refused = world.engine.sign_in_with_code(token.reveal(), &app.shows(&world, 0), here()).await;
        assert_eq!(refused.unwrap_err().code(), "sign_in_over");
        whole(world.engine.sign_in(EMAIL, right(), here()).await.unwrap());
        let reset = told(&world, &[EventType::PersonSecondFactorReset]).await;
        assert_eq!(reset[0].1, serde_json::json!({"sessions": 1}));
        assert_eq!(world.engine.reset_second_factor(&manages(), &root.id).await.unwrap_err().code(), "no_second_factor");

        // Set up anew, the codes from before mean nothing.
        let (_, newer) = set_up(&world, &root.id).await;
        assert_eq!(gives(&world, &codes[0]).await.unwrap_err().code(), "wrong_code");
        gives(&world, &newer[0]).await.unwrap();
        world.verify().await;
    }
}
