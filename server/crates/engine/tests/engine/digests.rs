//! Digests of waiting work (G8): when they go, what is in them, and what stops them; to a real peer over HTTP and over SMTP.

use std::sync::Arc;

use domain::{
    audit::EventType,
    permission::{Actor, Grant, Permission, Permit, RoleName},
    time::Span,
};
use engine::{
    DigestSettings, Engine, EventFilter, Extractors, OsEntropy, Outgoing, Page, SentBy, Settings,
    Shape, outside::Allowed,
};
use serde_json::{Value, json};
use store::testing::TestDb;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::TcpListener,
    sync::mpsc,
};
use wiremock::{Mock, MockServer, ResponseTemplate, matchers};

use crate::world::{World, id_of, settings, start};

/// The same database and clock, with a way out.
fn reaching(db: &TestDb, world: &World, outgoing: Outgoing) -> Engine {
    let settings = Settings {
        outgoing,
        ..settings()
    };
    Engine::new(
        db.db.clone(),
        world.clock.clone(),
        Arc::new(OsEntropy),
        Extractors::builtin(),
        settings,
    )
}

fn out() -> Outgoing {
    Outgoing {
        public_url: "https://keep.example".to_owned(),
        allowed_private: Allowed::parse("127.0.0.0/8").unwrap(),
        ..Outgoing::default()
    }
}

fn webhook(url: &str) -> DigestSettings {
    DigestSettings {
        on: true,
        hour: 9,
        by: SentBy::Webhook,
        shape: Shape::Slack,
        url: url.to_owned(),
        ..DigestSettings::default()
    }
}

async fn peer(status: u16) -> MockServer {
    let server = MockServer::start().await;
    answering(&server, status).await;
    server
}

async fn answering(server: &MockServer, status: u16) {
    server.reset().await;
    let answer = ResponseTemplate::new(status).insert_header("location", "http://127.0.0.1:1/");
    Mock::given(matchers::method("POST"))
        .respond_with(answer)
        .mount(server)
        .await;
}

async fn received(server: &MockServer) -> Vec<Value> {
    let requests = server.received_requests().await.unwrap();
    let body = |request: &wiremock::Request| serde_json::from_slice(&request.body).unwrap();
    requests.iter().map(body).collect()
}

/// A mail server that takes one message after the other.
async fn mail_server() -> (String, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, mails) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (read, mut write) = stream.into_split();
            let mut lines = BufReader::new(read).lines();
            write
                .write_all(b"220 mail.example ready\r\n")
                .await
                .unwrap();
            let mut mail = String::new();
            let mut body = false;
            while let Ok(Some(line)) = lines.next_line().await {
                mail.push_str(&line);
                mail.push('\n');
                let answer: &[u8] = match line.as_str() {
                    "." if body => {
                        body = false;
                        sender.send(std::mem::take(&mut mail)).unwrap();
                        b"250 taken\r\n"
                    }
                    _ if body => continue,
                    "DATA" => {
                        body = true;
                        b"354 go on\r\n"
                    }
                    "QUIT" => b"221 bye\r\n",
                    _ => b"250 well\r\n",
                };
                write.write_all(answer).await.unwrap();
            }
        }
    });
    (format!("smtp://{address}"), mails)
}

store::both! {
    // G8
    async fn a_digest_goes_at_its_hour_with_figures_and_links_and_no_words_of_anybody(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let engine = reaching(db, &world, out());
        let mia = world.mia(Permission::Decide);
        assert!(engine.digest(&mia).await.unwrap().settings.is_none());
        engine.set_digest(&mia, &webhook(&peer.uri())).await.unwrap();
        let due = engine.digest(&mia).await.unwrap().next_at.unwrap();
        assert_eq!(due.format("%H:%M:%S").to_string(), "09:00:00");
        assert_eq!(engine.send_digests().await.unwrap(), 0, "its hour has not come");

        world.pass(due - world.engine.now());
        assert_eq!(engine.send_digests().await.unwrap(), 0, "nothing waits, so nothing is said");
        let due = engine.digest(&mia).await.unwrap().next_at.unwrap();
        world.proposed("ana-7", "fact", None, "User lives in Oslo").await;
        world.pass(due - world.engine.now());
        assert_eq!(engine.send_digests().await.unwrap(), 1);
        assert_eq!(engine.send_digests().await.unwrap(), 0, "once");
        let got = received(&peer).await;
        let text = got[0]["text"].as_str().unwrap();
        for said in ["*Keepsake: 1 waiting for review*", "1 proposal waits", "<https://keep.example/review|Open the queue>"] {
            assert!(text.contains(said), "{said}: {text}");
        }
        for private in ["Oslo", "ana-7", "usr_"] {
            assert!(!text.contains(private), "{private}: {text}");
        }
        let view = engine.digest(&mia).await.unwrap();
        assert_eq!((view.sent_at, view.failed, view.failures), (Some(due), None, 0));

        let filter = EventFilter { types: vec![EventType::PersonDigestChanged], ..EventFilter::default() };
        let events = engine.events(&world.mia(Permission::ReadAudit), &filter, &Page::default()).await.unwrap();
        assert_eq!((events.data.len(), &events.data[0].data), (1, json!({"on": true, "by": "webhook"}).as_object().unwrap()));
        world.verify().await;
    }

    // G8
    async fn the_last_digest_before_days_off_warns_of_what_expires_on_them(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let engine = reaching(db, &world, out());
        // The story begins in the first hour of a Monday: what is proposed now expires on the Monday after, before anybody is told again.
        assert_eq!(start().format("%A").to_string(), "Monday");
        world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let mia = world.mia(Permission::Decide);
        engine.set_digest(&mia, &webhook(&peer.uri())).await.unwrap();
        for _ in 0..5 {
            let due = engine.digest(&mia).await.unwrap().next_at.unwrap();
            world.pass(due - world.engine.now());
            assert_eq!(engine.send_digests().await.unwrap(), 1);
        }
        let got = received(&peer).await;
        let warned: Vec<bool> = got.iter().map(|body| body["text"].as_str().unwrap().contains("expires before your next digest on Mon")).collect();
        assert_eq!(warned, [false, false, false, false, true], "on Friday only");
        assert!(got[4]["text"].as_str().unwrap().contains("0 expire within 24 hours, 1 within 72 hours."));
    }

    // G8
    async fn a_digest_that_fails_is_tried_again_later_and_the_page_says_why(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(302).await;
        let engine = reaching(db, &world, out());
        world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let mia = world.mia(Permission::Decide);
        engine.set_digest(&mia, &webhook(&peer.uri())).await.unwrap();
        let due = engine.digest(&mia).await.unwrap().next_at.unwrap();
        world.pass(due - world.engine.now());
        for (failures, wait) in [(1, 5), (2, 10), (3, 20)] {
            assert_eq!(engine.send_digests().await.unwrap(), 0);
            let view = engine.digest(&mia).await.unwrap();
            assert_eq!((view.failed.as_deref(), view.failures), (Some("answered_302"), failures), "a redirect is not followed");
            assert_eq!(view.next_at, Some(world.engine.now() + Span::minutes(wait)));
            world.pass(Span::minutes(wait));
        }
        answering(&peer, 200).await;
        assert_eq!(engine.send_digests().await.unwrap(), 1);
        let view = engine.digest(&mia).await.unwrap();
        assert_eq!((view.failed, view.failures), (None, 0));
        assert_eq!(view.next_at, Some(due + Span::days(1)));
    }

    // G8
    async fn one_digest_that_cannot_be_read_keeps_no_other_from_going_out(db: &TestDb) {
        // All rows get the seal of the first one, which opens for that one alone.
        const SETTINGS: &str = "update digests set sealed = (select d.sealed from digests d order by d.person_id limit 1)";
        const PEOPLE: &str = "update people set sealed = (select p.sealed from people p order by p.id limit 1)";
        let world = World::new(db).await;
        let peer = peer(200).await;
        let engine = reaching(db, &world, out());
        world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let mut both = [world.mia(Permission::Decide), world.aiko(Permission::Decide)];
        both.sort_by_key(|permit| permit.actor().person().cloned());
        let [well, broken] = both;
        for permit in [&well, &broken] {
            engine.set_digest(permit, &webhook(&peer.uri())).await.unwrap();
        }
        let due = engine.digest(&well).await.unwrap().next_at.unwrap();
        db.behind_the_back(SETTINGS).await.unwrap();
        world.pass(due - world.engine.now());
        assert_eq!(engine.send_digests().await.unwrap(), 1);
        let view = engine.digest(&well).await.unwrap();
        assert_eq!((view.sent_at, view.failures), (Some(due), 0));
        let view = engine.digest(&broken).await.unwrap();
        assert_eq!((view.settings, view.failed.as_deref(), view.failures), (None, Some("unreadable"), 1));
        assert_eq!(view.next_at, Some(due + Span::minutes(5)));

        // Set anew it goes again, until its reader cannot be read.
        engine.set_digest(&broken, &webhook(&peer.uri())).await.unwrap();
        let due = engine.digest(&broken).await.unwrap().next_at.unwrap();
        world.pass(due - world.engine.now());
        assert_eq!(engine.send_digests().await.unwrap(), 2);
        let due = engine.digest(&well).await.unwrap().next_at.unwrap();
        db.behind_the_back(PEOPLE).await.unwrap();
        world.pass(due - world.engine.now());
        assert_eq!(engine.send_digests().await.unwrap(), 1);
        let id = broken.actor().person().unwrap();
        let mut tx = db.db.read(domain::agent::AgentScope::All).await.unwrap();
        let digest = tx.digest::<DigestSettings>(id).await.unwrap().unwrap();
        assert_eq!((digest.failed.as_deref(), digest.failures), (Some("internal"), 1));
    }

    // G8
    async fn two_processes_send_one_digest_and_one_that_died_leaves_it_to_another(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let (one, other) = (reaching(db, &world, out()), reaching(db, &world, out()));
        world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let mia = world.mia(Permission::Decide);
        one.set_digest(&mia, &webhook(&peer.uri())).await.unwrap();
        let due = one.digest(&mia).await.unwrap().next_at.unwrap();
        world.pass(due - world.engine.now());
        let (first, second) = tokio::join!(one.send_digests(), other.send_digests());
        assert_eq!(first.unwrap() + second.unwrap(), 1);
        assert_eq!(received(&peer).await.len(), 1);

        let due = one.digest(&mia).await.unwrap().next_at.unwrap();
        world.pass(due - world.engine.now());
        let mut tx = db.db.write(domain::agent::AgentScope::All).await.unwrap();
        let taken = tx.digests_due::<DigestSettings>(due, 9).await.unwrap().remove(0);
        assert!(tx.take_digest(&taken, due, Span::minutes(10)).await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(other.send_digests().await.unwrap(), 0);
        world.pass(Span::minutes(10));
        assert_eq!(other.send_digests().await.unwrap(), 1);
    }

    // G8, G7
    async fn a_digest_counts_only_what_its_reader_may_decide_about(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let engine = reaching(db, &world, out());
        world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let japanese = Actor::Person {
            id: id_of(&world.mia),
            name: "Mia".into(),
            grants: vec![Grant { agent: Some(world.agent.clone()), role: RoleName::Reviewer, languages: vec!["ja".into()] }],
        };
        let permit = Permit::ask(japanese, Permission::Decide).unwrap();
        engine.set_digest(&permit, &webhook(&peer.uri())).await.unwrap();
        assert_eq!(engine.test_digest(&permit).await.unwrap(), None);
        let text = received(&peer).await[0]["text"].as_str().unwrap().to_owned();
        assert!(text.contains("This is a test") && text.contains("Nothing waits for you."), "{text}");
        assert_eq!(engine.test_digest(&world.mia(Permission::Decide)).await.unwrap(), None);
        assert!(received(&peer).await[1]["text"].as_str().unwrap().contains("1 proposal waits"));

        // Whoever was shut out since is told nothing.
        let due = engine.digest(&permit).await.unwrap().next_at.unwrap();
        db.behind_the_back("update people set deactivated_at = 1").await.unwrap();
        world.pass(due - world.engine.now());
        assert_eq!(engine.send_digests().await.unwrap(), 0);
        assert_eq!(received(&peer).await.len(), 2);
    }

    // G8
    async fn each_chat_program_gets_its_own_form(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(202).await;
        let engine = reaching(db, &world, out());
        world.proposed("ana", "fact", None, "User lives in Oslo").await;
        let mia = world.mia(Permission::Decide);
        for shape in Shape::ALL {
            engine.set_digest(&mia, &DigestSettings { shape, ..webhook(&peer.uri()) }).await.unwrap();
            assert_eq!(engine.test_digest(&mia).await.unwrap(), None);
        }
        let got = received(&peer).await;
        assert!(got[0]["text"].as_str().unwrap().contains("<https://keep.example/review|"));
        let card = &got[1]["attachments"][0];
        assert_eq!(card["contentType"], "application/vnd.microsoft.card.adaptive");
        assert_eq!(card["content"]["actions"][0]["url"], "https://keep.example/review");
        assert!(got[2]["text"].as_str().unwrap().contains("[Open the queue](https://keep.example/review)"));
    }

    // G8
    async fn a_webhook_never_reaches_what_only_the_installation_can_reach(db: &TestDb) {
        let world = World::new(db).await;
        let peer = peer(200).await;
        let mia = world.mia(Permission::Decide);
        // No network is allowed.
        let closed = reaching(db, &world, Outgoing { allowed_private: Allowed::default(), ..out() });
        for (url, code) in [
            (peer.uri(), "private_address"),
            ("https://169.254.169.254/latest".to_owned(), "private_address"),
            ("http://hooks.example/x".to_owned(), "https"),
            ("hooks".to_owned(), "shape"),
            (String::new(), "required"),
        ] {
            let refused = closed.set_digest(&mia, &webhook(&url)).await.unwrap_err();
            assert_eq!((refused.fields()[0].pointer.as_str(), refused.fields()[0].code), ("/url", code), "{url}");
        }
        // A name that stands for an address of this machine is told when it is looked up.
        let local = webhook("https://localhost/hook");
        closed.set_digest(&mia, &local).await.unwrap();
        assert_eq!(closed.test_digest(&mia).await.unwrap().as_deref(), Some("private_address"));
        // It was allowed, and is so no more.
        let open = reaching(db, &world, out());
        open.set_digest(&mia, &webhook(&peer.uri())).await.unwrap();
        assert_eq!(closed.test_digest(&mia).await.unwrap().as_deref(), Some("private_address"));
        assert!(received(&peer).await.is_empty());

        let odd = DigestSettings { weekdays: vec![], hour: 24, zone: "Oslo".into(), ..webhook("https://hooks.example/x") };
        let fields = open.set_digest(&mia, &odd).await.unwrap_err().fields();
        let places: Vec<_> = fields.iter().map(|field| field.pointer.as_str()).collect();
        assert_eq!(places, ["/hour", "/weekdays", "/zone"]);
        let mail = DigestSettings { by: SentBy::Mail, ..webhook("") };
        assert_eq!(open.set_digest(&mia, &mail).await.unwrap_err().fields()[0].code, "mail_off");
    }

    // G8
    async fn a_digest_goes_by_mail_in_the_readers_language(db: &TestDb) {
        let world = World::new(db).await;
        let (server, mut mails) = mail_server().await;
        let outgoing = Outgoing {
            smtp_url: Some(server.into()),
            mail_from: "Keepsake <keepsake@example.com>".into(),
            ..out()
        };
        let engine = reaching(db, &world, outgoing);
        world.proposed("ana-7", "fact", None, "User lives in Oslo").await;
        engine.set_language(&id_of(&world.aiko), Some("ja")).await.unwrap();
        let aiko = world.aiko(Permission::Decide);
        let by_mail = DigestSettings { by: SentBy::Mail, ..webhook("") };
        engine.set_digest(&aiko, &by_mail).await.unwrap();
        assert_eq!(engine.digest(&aiko).await.unwrap().mail_to.as_deref(), Some("Aiko@example.com"));
        let due = engine.digest(&aiko).await.unwrap().next_at.unwrap();
        world.pass(due - world.engine.now());
        assert_eq!(engine.send_digests().await.unwrap(), 1, "{:?}", engine.digest(&aiko).await.unwrap().failed);
        let mail = mails.recv().await.unwrap();
        for line in ["MAIL FROM:<keepsake@example.com>", "RCPT TO:<Aiko@example.com>", "Auto-Submitted: auto-generated", "Message-ID: <", "EHLO keep.example"] {
            assert!(mail.contains(line), "{line}: {mail}");
        }
        assert!(!mail.contains("Oslo") && !mail.contains("ana-7"));
    }
}
