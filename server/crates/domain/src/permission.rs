//! Who may do what. One function decides: [`authorize`].

use serde::{Deserialize, Serialize};

use crate::{
    agent::{AgentName, AgentScope},
    conversation::words,
    id::{KeyId, PersonId},
    key::KeyScope,
};

/// A role of a person, for one agent or for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoleName {
    /// Reads.
    Viewer,
    /// Decides.
    Reviewer,
    /// Reads the audit chain and exports.
    Auditor,
    /// Everything.
    Admin,
}

words!(RoleName { Viewer = "viewer", Reviewer = "reviewer", Auditor = "auditor", Admin = "admin" });

/// A role with the agents and the languages it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// `None`: every agent (`*`).
    pub agent: Option<AgentName>,
    /// The role.
    pub role: RoleName,
    /// The languages of the content it decides about, of [`crate::text::LANGUAGES`]; empty: all. Reading is not limited by them.
    pub languages: Vec<String>,
}

impl Grant {
    /// A role for every agent and every language.
    pub fn everywhere(role: RoleName) -> Self {
        Self {
            agent: None,
            role,
            languages: Vec::new(),
        }
    }
}

/// Who acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person signed in to the dashboard.
    Person {
        /// Who.
        id: PersonId,
        /// Their name, as shown beside what they did.
        name: String,
        /// Their roles.
        grants: Vec<Grant>,
    },
    /// A key of an agent.
    Key {
        /// Which.
        id: KeyId,
        /// The agent it names.
        agent: AgentName,
        /// What it may be used for.
        scopes: Vec<KeyScope>,
    },
    /// A person through a key of theirs: what the person may, and the key too.
    PersonKey {
        /// Which key.
        key: KeyId,
        /// The person.
        person: PersonId,
        /// Their name.
        name: String,
        /// Their roles.
        grants: Vec<Grant>,
        /// The one agent the key names; `None`: all.
        agent: Option<AgentName>,
        /// What the key may be used for.
        scopes: Vec<KeyScope>,
    },
    /// Keepsake itself: the clock, the command line.
    System,
}

impl Actor {
    /// The person behind it, where there is one.
    pub fn person(&self) -> Option<&PersonId> {
        match self {
            Self::Person { id, .. } | Self::PersonKey { person: id, .. } => Some(id),
            Self::Key { .. } | Self::System => None,
        }
    }
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Permission {
    /// Send conversations and read what came of them.
    Ingest,
    /// Ask for a context.
    ReadContext,
    /// Propose a candidate by hand.
    Propose,
    /// Read the queue and a candidate with its evidence.
    ReadCandidates,
    /// Approve, reject, reopen; edit and retire memories.
    Decide,
    /// Read approved memories.
    ReadMemories,
    /// Read retired memories, notes, proposals, names of approvers.
    ReadHistory,
    /// Read users, their timeline and conversations.
    ReadUsers,
    /// Read agents and their settings.
    ReadAgents,
    /// Make and change agents, kinds and keys.
    Administer,
    /// Invite people and change what they may do: for every agent or not at all.
    ManagePeople,
    /// Read and verify the audit chain.
    ReadAudit,
    /// Take everything out that is stored, to be read and checked elsewhere (E4).
    Export,
}

words!(Permission {
    Ingest = "ingest",
    ReadContext = "read_context",
    Propose = "propose",
    ReadCandidates = "read_candidates",
    Decide = "decide",
    ReadMemories = "read_memories",
    ReadHistory = "read_history",
    ReadUsers = "read_users",
    ReadAgents = "read_agents",
    Administer = "administer",
    ManagePeople = "manage_people",
    ReadAudit = "read_audit",
    Export = "export",
});

impl Permission {
    fn key_scope(self) -> KeyScope {
        match self {
            Self::Ingest => KeyScope::ConversationsWrite,
            Self::ReadContext => KeyScope::ContextRead,
            Self::Propose => KeyScope::CandidatesWrite,
            Self::ReadCandidates => KeyScope::CandidatesRead,
            Self::Decide => KeyScope::ReviewWrite,
            Self::ReadMemories => KeyScope::MemoriesRead,
            Self::ReadHistory => KeyScope::CandidatesRead,
            Self::ReadUsers | Self::ReadAudit => KeyScope::AuditRead,
            Self::Export => KeyScope::ExportsRead,
            Self::ReadAgents | Self::Administer | Self::ManagePeople => KeyScope::Admin,
        }
    }

    fn needs_a_person(self) -> bool {
        self.key_scope().needs_a_person()
    }

    /// Whether it is about no agent in particular, so that who is limited to some has none of it.
    fn needs_every_agent(self) -> bool {
        self == Self::ManagePeople
    }

    /// The roles that have it, in the order of their declaration.
    pub fn roles(self) -> Vec<RoleName> {
        let all = RoleName::ALL.iter().copied();
        all.filter(|&role| self.role_suffices(role)).collect()
    }

    fn role_suffices(self, role: RoleName) -> bool {
        match role {
            RoleName::Admin => true,
            RoleName::Reviewer => !matches!(
                self,
                Self::Administer
                    | Self::ManagePeople
                    | Self::ReadAudit
                    | Self::Export
                    | Self::Ingest
            ),
            RoleName::Auditor => matches!(
                self,
                Self::ReadCandidates
                    | Self::ReadMemories
                    | Self::ReadHistory
                    | Self::ReadUsers
                    | Self::ReadAgents
                    | Self::ReadAudit
                    | Self::Export
            ),
            RoleName::Viewer => matches!(
                self,
                Self::ReadCandidates
                    | Self::ReadMemories
                    | Self::ReadHistory
                    | Self::ReadUsers
                    | Self::ReadAgents
            ),
        }
    }
}

/// A refusal: the actor may not do this anywhere, or not to this agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not permitted")]
pub struct Forbidden;

/// The agents in which `actor` may do `permission`. This is the boundary that every statement is bound to: what lies outside does
/// not exist for the actor.
///
/// # Errors
/// [`Forbidden`] where that is no agent at all.
pub fn authorize(actor: &Actor, permission: Permission) -> Result<AgentScope, Forbidden> {
    let scope = agents_of(actor, permission)?;
    if permission.needs_every_agent() && scope != AgentScope::All {
        return Err(Forbidden);
    }
    Ok(scope)
}

fn agents_of(actor: &Actor, permission: Permission) -> Result<AgentScope, Forbidden> {
    let granted = |grants: &[Grant]| -> Result<AgentScope, Forbidden> {
        let fitting = || {
            grants
                .iter()
                .filter(|grant| permission.role_suffices(grant.role))
        };
        if fitting().any(|grant| grant.agent.is_none()) {
            return Ok(AgentScope::All);
        }
        let agents: Vec<_> = fitting().filter_map(|grant| grant.agent.clone()).collect();
        if agents.is_empty() {
            Err(Forbidden)
        } else {
            Ok(AgentScope::Some(agents))
        }
    };
    match actor {
        Actor::System => Ok(AgentScope::All),
        Actor::Person { grants, .. } => granted(grants),
        Actor::Key { agent, scopes, .. } => {
            let allowed = scopes.contains(&permission.key_scope()) && !permission.needs_a_person();
            if allowed {
                Ok(AgentScope::One(agent.clone()))
            } else {
                Err(Forbidden)
            }
        }
        Actor::PersonKey {
            grants,
            agent,
            scopes,
            ..
        } => {
            let scoped =
                scopes.contains(&permission.key_scope()) || scopes.contains(&KeyScope::Admin);
            if !scoped {
                return Err(Forbidden);
            }
            let scope = granted(grants)?;
            match agent {
                None => Ok(scope),
                Some(agent) if scope.contains(agent) => Ok(AgentScope::One(agent.clone())),
                Some(_) => Err(Forbidden),
            }
        }
    }
}

/// An actor with a permission that [`authorize`] granted: what every use case asks for, so that none can be reached without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    actor: Actor,
    scope: AgentScope,
    permission: Permission,
}

impl Permit {
    /// Asks [`authorize`].
    ///
    /// # Errors
    /// [`Forbidden`], as there.
    pub fn ask(actor: Actor, permission: Permission) -> Result<Self, Forbidden> {
        let scope = authorize(&actor, permission)?;
        Ok(Self {
            actor,
            scope,
            permission,
        })
    }

    /// Who acts.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// The agents it holds for.
    pub fn scope(&self) -> &AgentScope {
        &self.scope
    }

    /// What was granted.
    pub fn permission(&self) -> Permission {
        self.permission
    }

    /// The languages of content that it holds for within its agents; `None`: all. A decision about content in another language is
    /// refused, and the queue begins with these; reading is not limited.
    pub fn languages(&self) -> Option<Vec<String>> {
        let (Actor::Person { grants, .. } | Actor::PersonKey { grants, .. }) = &self.actor else {
            return None;
        };
        let mut languages = Vec::new();
        for grant in grants {
            let reaches = match &grant.agent {
                None => true,
                Some(agent) => self.scope.contains(agent),
            };
            if !reaches || !self.permission.role_suffices(grant.role) {
                continue;
            }
            if grant.languages.is_empty() {
                return None;
            }
            languages.extend(grant.languages.iter().cloned());
        }
        languages.sort();
        languages.dedup();
        Some(languages)
    }

    /// The same, narrowed to one agent; `None` where that agent is outside.
    pub fn within(&self, agent: &AgentName) -> Option<Self> {
        self.scope.contains(agent).then(|| Self {
            scope: AgentScope::One(agent.clone()),
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entropy, Timestamp};

    struct Zero;
    impl Entropy for Zero {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0);
        }
    }

    fn agent(name: &str) -> AgentName {
        AgentName::parse(name).unwrap()
    }

    #[test]
    fn an_agents_key_never_decides_even_when_its_row_says_so() {
        let key = Actor::Key {
            id: KeyId::new(Timestamp::UNIX_EPOCH, &Zero),
            agent: agent("support"),
            scopes: KeyScope::ALL.to_vec(),
        };
        assert_eq!(
            authorize(&key, Permission::Ingest),
            Ok(AgentScope::One(agent("support")))
        );
        for permission in [
            Permission::Decide,
            Permission::ReadCandidates,
            Permission::ReadHistory,
            Permission::ReadAudit,
            Permission::Export,
            Permission::Administer,
        ] {
            assert_eq!(
                authorize(&key, permission),
                Err(Forbidden),
                "{permission:?}"
            );
        }
    }

    // G7
    #[test]
    fn a_person_limited_to_agents_sees_only_those() {
        let grants = vec![Grant {
            agent: Some(agent("support")),
            ..Grant::everywhere(RoleName::Reviewer)
        }];
        let person = Actor::Person {
            id: PersonId::new(Timestamp::UNIX_EPOCH, &Zero),
            name: "Mia".into(),
            grants: grants.clone(),
        };
        assert_eq!(
            authorize(&person, Permission::Decide),
            Ok(AgentScope::Some(vec![agent("support")]))
        );
        assert_eq!(authorize(&person, Permission::Administer), Err(Forbidden));
        let elsewhere = Actor::PersonKey {
            key: KeyId::new(Timestamp::UNIX_EPOCH, &Zero),
            person: PersonId::new(Timestamp::UNIX_EPOCH, &Zero),
            name: "Mia".into(),
            grants,
            agent: Some(agent("other")),
            scopes: vec![KeyScope::ReviewWrite],
        };
        assert_eq!(authorize(&elsewhere, Permission::Decide), Err(Forbidden));
    }

    fn person(grants: &[Grant]) -> Actor {
        Actor::Person {
            id: PersonId::new(Timestamp::UNIX_EPOCH, &Zero),
            name: "Mia".into(),
            grants: grants.to_vec(),
        }
    }

    // G7
    #[test]
    fn a_role_for_some_languages_decides_in_those_and_the_widest_role_counts() {
        let limited = |agent: Option<AgentName>, role, languages: &[&str]| Grant {
            agent,
            role,
            languages: languages.iter().map(|&tag| tag.to_owned()).collect(),
        };
        let (support, sales) = (agent("support"), agent("sales"));
        let grants = [
            Grant::everywhere(RoleName::Viewer),
            limited(Some(support.clone()), RoleName::Reviewer, &["zh", "ja"]),
            limited(Some(sales.clone()), RoleName::Reviewer, &["ja"]),
        ];
        let ask = |permission| Permit::ask(person(&grants), permission).unwrap();
        let decides = ask(Permission::Decide);
        let tags = |list: &[&str]| Some(list.iter().map(|&tag| tag.to_owned()).collect());
        assert_eq!(decides.languages(), tags(&["ja", "zh"]));
        let within = |agent| decides.within(agent).unwrap().languages();
        assert_eq!(
            (within(&support), within(&sales)),
            (tags(&["ja", "zh"]), tags(&["ja"]))
        );
        assert_eq!(
            ask(Permission::ReadCandidates).languages(),
            None,
            "reading is not limited"
        );
        let widened = [&grants[..], &[Grant::everywhere(RoleName::Admin)]].concat();
        assert_eq!(
            Permit::ask(person(&widened), Permission::Decide)
                .unwrap()
                .languages(),
            None
        );
        assert_eq!(
            Permit::ask(Actor::System, Permission::Decide)
                .unwrap()
                .languages(),
            None
        );
    }

    // G7
    #[test]
    fn who_administers_some_agents_manages_no_people() {
        let some = Grant {
            agent: Some(agent("support")),
            ..Grant::everywhere(RoleName::Admin)
        };
        let limited = person(std::slice::from_ref(&some));
        assert!(authorize(&limited, Permission::Administer).is_ok());
        assert_eq!(
            authorize(&limited, Permission::ManagePeople),
            Err(Forbidden)
        );
        let everywhere = Grant::everywhere(RoleName::Admin);
        let all = person(std::slice::from_ref(&everywhere));
        assert_eq!(
            authorize(&all, Permission::ManagePeople),
            Ok(AgentScope::All)
        );
        let narrow = Actor::PersonKey {
            key: KeyId::new(Timestamp::UNIX_EPOCH, &Zero),
            person: PersonId::new(Timestamp::UNIX_EPOCH, &Zero),
            name: "Mia".into(),
            grants: vec![everywhere],
            agent: Some(agent("support")),
            scopes: vec![KeyScope::Admin],
        };
        assert_eq!(authorize(&narrow, Permission::ManagePeople), Err(Forbidden));
    }
}
