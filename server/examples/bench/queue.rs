//! A queue in which very many wait, made through the functions of `store`: what is sealed is bound to its row, so a copy would not open,
//! and in the queue everything is opened. What each candidate is like follows from its number, and so what each filter has to find.

use std::time::{Duration, Instant};

use anyhow::Result;
use domain::agent::{AgentName, AgentScope};
use domain::candidate::{Action, Evidence, Flag, Proposal, WAITS_FOR};
use domain::conversation::{NewMessage, Role, Source};
use domain::id::UserId;
use domain::time::Span;
use domain::user::Scope;
use engine::{Clock as _, SystemClock};
use store::{Db, NewCandidate, SentMessage, Stamp, Tx};

use crate::keepsake::{AGENT, Keepsake};

/// Whose candidates wait.
pub const AGENTS: [&str; 3] = [AGENT, "sales", "travel"];
const KINDS: [&str; 3] = ["preference", "fact", "context"];
/// Users of each agent. In the agent that is measured they are the ones who have memories.
const USERS: u64 = 500;
/// What each of them said in one conversation.
const MESSAGES: u64 = 12;
/// How long ago the first of the candidates was proposed; the last was just now.
const SINCE: Span = Span::days(6);
/// How long some of them wait, as those of an import do: what is proposed today comes to stand before them.
const WAIT_LONGER: Span = Span::days(30);
/// Candidates a transaction.
const BATCH: u64 = 500;

/// What a candidate is like.
pub struct Traits {
    agent: usize,
    kind: &'static str,
    language: &'static str,
    flag: Option<Flag>,
    /// Whether a rare word is in it.
    rare: bool,
}

impl Traits {
    /// Those of candidate `n` in all.
    fn of(n: u64) -> Self {
        let flag = if n.is_multiple_of(97) {
            Some(Flag::Contradiction)
        } else if n % 89 == 1 {
            Some(Flag::PersonalData)
        } else {
            None
        };
        Self {
            agent: (n / 3 % 3) as usize,
            kind: KINDS[(n % 3) as usize],
            language: match n % 10 {
                7 => "ja",
                8 => "zh",
                _ => "en",
            },
            flag,
            rare: n.is_multiple_of(100),
        }
    }

    /// What candidate `n` is called, from which [`number`] reads it back.
    fn name(n: u64) -> String {
        format!("thing {n}")
    }
}

/// The number of the candidate that has this name; `None` for one that came by itself.
pub fn number(name: &str) -> Option<u64> {
    name.strip_prefix("thing ")?.parse().ok()
}

/// A filter of the queue.
pub struct Filter {
    /// In words.
    pub says: &'static str,
    /// As addresses have it, those of the page and of REST.
    pub query: &'static str,
    fits: fn(&Traits) -> bool,
}

/// What is looked for; the first looks for everything.
pub const FILTERS: [Filter; 7] = [
    Filter {
        says: "no filter",
        query: "",
        fits: |_| true,
    },
    Filter {
        says: "a kind",
        query: "kind=fact",
        fits: |it| it.kind == "fact",
    },
    Filter {
        says: "a flag",
        query: "flag=contradiction",
        fits: |it| it.flag == Some(Flag::Contradiction),
    },
    Filter {
        says: "an agent",
        query: "agent=sales",
        fits: |it| AGENTS[it.agent] == "sales",
    },
    Filter {
        says: "a language",
        query: "language=ja",
        fits: |it| it.language == "ja",
    },
    Filter {
        says: "a word",
        query: "text=harbour",
        fits: |it| it.rare,
    },
    Filter {
        says: "nobody else's claim",
        query: "claim=free",
        fits: |_| true,
    },
];

impl Filter {
    /// Whether candidate `n` fits.
    pub fn fits(&self, n: u64) -> bool {
        (self.fits)(&Traits::of(n))
    }

    /// How many of so many fit.
    pub fn count(&self, waiting: u64) -> u64 {
        (0..waiting).filter(|&n| self.fits(n)).count() as u64
    }
}

/// Lets so many wait, in the database of a server that does not run; answers their ids.
pub async fn fill(keepsake: &Keepsake, waiting: u64) -> Result<(Vec<String>, Duration)> {
    let begun = Instant::now();
    let db = keepsake.open().await?;
    let now = SystemClock.now();
    let first_at = now - SINCE;
    let tellers = tellers(&db, &Stamp::system(first_at)).await?;
    let mut ids = Vec::new();
    for first in (0..waiting).step_by(BATCH as usize) {
        let mut tx = db.write(AgentScope::All).await?;
        for n in first..waiting.min(first + BATCH) {
            let traits = Traits::of(n);
            let teller = &tellers[traits.agent][(n / 9 % USERS) as usize];
            let new = NewCandidate {
                agent: teller.agent.clone(),
                user: teller.user.clone(),
                proposal: proposal(n, &traits, teller),
                extraction: None,
                supersedes: vec![],
            };
            let waits_for = if n % 10 == 3 { WAIT_LONGER } else { WAITS_FOR };
            let since = SINCE.num_milliseconds() * n as i64 / waiting as i64;
            let stamp = Stamp::system(first_at + Span::milliseconds(since));
            let made = tx.propose_for(&new, waits_for, &stamp).await?;
            ids.push(made.id.to_string());
        }
        tx.commit().await?;
    }
    db.close().await;
    keepsake.analyze().await?;
    Ok((ids, begun.elapsed()))
}

/// Somebody whom candidates are about.
struct Teller {
    agent: AgentName,
    user: UserId,
    /// Words that a candidate can rest on.
    said: Vec<Evidence>,
}

/// Those of each agent.
async fn tellers(db: &Db, stamp: &Stamp) -> Result<Vec<Vec<Teller>>> {
    let mut of_agents = Vec::new();
    for agent in AGENTS {
        let agent = AgentName::parse(agent)?;
        let mut tellers = Vec::new();
        let mut tx = db.write(AgentScope::All).await?;
        for n in 0..USERS {
            tellers.push(teller(&mut tx, &agent, n, stamp).await?);
        }
        tx.commit().await?;
        of_agents.push(tellers);
    }
    Ok(of_agents)
}

async fn teller(tx: &mut Tx, agent: &AgentName, n: u64, stamp: &Stamp) -> Result<Teller> {
    let scope = Scope::user_id(&format!("u-{n}"))?;
    let user = tx.ensure_user(agent, &scope, stamp).await?.id;
    let conversation = tx
        .create_conversation(agent, &user, None, None, stamp.now)
        .await?;
    let says: Vec<SentMessage> = (0..MESSAGES).map(|part| message(part).into()).collect();
    let (_, messages) = tx.receive(&conversation, &says, false, stamp).await?;
    let said = messages.into_iter().map(|message| Evidence {
        conversation: conversation.id.clone(),
        message: Some(message.id),
        start: 0,
        end: message.content.chars().count(),
        quote: message.content,
    });
    Ok(Teller {
        agent: agent.clone(),
        user,
        said: said.collect(),
    })
}

fn message(part: u64) -> NewMessage {
    NewMessage {
        external_id: None,
        role: Role::User,
        source: Source::Human,
        at: None,
        content: format!("Please keep in mind where I put my things, shelf {part} is full now."),
    }
}

fn proposal(n: u64, traits: &Traits, teller: &Teller) -> Proposal {
    let content = match traits.language {
        "ja" => format!("ユーザーは品物{n}を棚にしまっています"),
        "zh" => format!("用户把第{n}件东西放在柜子里"),
        _ if traits.rare => format!("User keeps thing {n} in a shed by the harbour"),
        _ => format!("User keeps thing {n} on a shelf at home"),
    };
    let words = (n / 9 / USERS % MESSAGES) as usize;
    Proposal {
        action: Action::Create,
        targets: vec![],
        kind: traits.kind.to_owned(),
        name: Some(Traits::name(n)),
        content,
        metadata: Default::default(),
        tags: vec![],
        confidence: (n % 50 + 50) as f64 / 100.0,
        importance: (n % 10) as f64 / 10.0,
        language: traits.language.to_owned(),
        flags: traits.flag.into_iter().collect(),
        evidence: vec![teller.said[words].clone()],
        explanation: None,
        cause: None,
    }
}
