//! A type for each permission, to be named in a signature.

use domain::{key::KeyScope, permission::Permission};

/// A permission as a type.
pub trait Need: Send + Sync + 'static {
    /// What is needed.
    const PERMISSION: Permission;
    /// The scope of a key that grants it, as the OpenAPI document names it.
    const SCOPE: KeyScope;
}

macro_rules! needs {
    ($($(#[$doc:meta])* $name:ident = $scope:ident;)*) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Need for $name {
            const PERMISSION: Permission = Permission::$name;
            const SCOPE: KeyScope = KeyScope::$scope;
        }
    )*
        #[cfg(test)]
        const ALL: &[(Permission, KeyScope)] = &[$(($name::PERMISSION, $name::SCOPE)),*];
    };
}

needs! {
    /// Send conversations and read what came of them.
    Ingest = ConversationsWrite;
    /// Ask for a context.
    ReadContext = ContextRead;
    /// Propose a candidate by hand.
    Propose = CandidatesWrite;
    /// Read the queue.
    ReadCandidates = CandidatesRead;
    /// Approve, reject, reopen; edit and retire memories.
    Decide = ReviewWrite;
    /// Read approved memories.
    ReadMemories = MemoriesRead;
    /// Read retired memories, notes, proposals.
    ReadHistory = CandidatesRead;
    /// Read users and their timeline.
    ReadUsers = AuditRead;
    /// Read agents and their settings.
    ReadAgents = Admin;
    /// Make and change agents, kinds and keys.
    Administer = Admin;
    /// Invite people and change what they may do.
    ManagePeople = Admin;
    /// Read and verify the audit chain.
    ReadAudit = AuditRead;
    /// Take everything out that is stored.
    Export = ExportsRead;
}

#[cfg(test)]
mod tests {
    use domain::{
        Entropy, Timestamp,
        id::{KeyId, PersonId},
        permission::{Actor, Grant, RoleName, authorize},
    };

    use super::*;

    struct Zero;
    impl Entropy for Zero {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0);
        }
    }

    #[test]
    fn the_scope_in_the_document_is_the_one_that_opens_the_door() {
        for &(permission, scope) in ALL {
            let with = |scopes: Vec<KeyScope>| Actor::PersonKey {
                key: KeyId::new(Timestamp::UNIX_EPOCH, &Zero),
                person: PersonId::new(Timestamp::UNIX_EPOCH, &Zero),
                name: "Mia".into(),
                grants: vec![Grant::everywhere(RoleName::Admin)],
                agent: None,
                scopes,
            };
            assert!(
                authorize(&with(vec![scope]), permission).is_ok(),
                "{permission:?}"
            );
            let others = KeyScope::ALL
                .iter()
                .filter(|&&other| other != scope && other != KeyScope::Admin);
            assert!(
                authorize(&with(others.copied().collect()), permission).is_err(),
                "{permission:?}"
            );
        }
    }
}
