//! The key that signs the heads of the audit chains: made once with the installation and kept wrapped like its other keys, so that
//! whoever has the database without the master key cannot sign.

use domain::audit::{Checkpoint, PublicKey, Signer};

use crate::{Db, Error, Result, seal::SecretKey};

/// How many hex digits of the fingerprint name the installation.
const INSTANCE: usize = 16;

/// The installation's key for the audit.
#[derive(Debug, Clone)]
pub struct AuditKey {
    fingerprint: String,
    signer: Signer,
}

impl AuditKey {
    fn of(secret: &SecretKey) -> Result<Self> {
        let seed = secret.seed("audit");
        let named = |name: &str| {
            Signer::from_seed(&seed, name).map_err(|_| Error::Corrupt("name of the audit key"))
        };
        // The name follows from the key, and the key from the seed alone.
        let fingerprint = named("keepsake")?.public_key().fingerprint();
        let signer = named(&format!("keepsake-{}", &fingerprint[..INSTANCE]))?;
        Ok(Self {
            fingerprint,
            signer,
        })
    }

    /// What people compare ([`PublicKey::fingerprint`]).
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The name of the installation: the beginning of the fingerprint.
    pub fn instance(&self) -> &str {
        &self.fingerprint[..INSTANCE]
    }

    /// The first line of its checkpoints.
    pub fn origin(&self) -> String {
        Checkpoint::origin_of(self.instance())
    }

    /// What others check its signatures with.
    pub fn public_key(&self) -> PublicKey {
        self.signer.public_key()
    }

    /// What signs.
    pub fn signer(&self) -> &Signer {
        &self.signer
    }
}

impl Db {
    /// The key that signs the audit of this installation.
    ///
    /// # Errors
    /// What the database answers; [`Error::WrongMasterKey`].
    pub async fn audit_key(&self) -> Result<AuditKey> {
        AuditKey::of(&self.vault().await?.audit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_installation_follows_from_its_key() {
        let key = AuditKey::of(&SecretKey::derive(&[7; 32])).unwrap();
        assert_eq!(key.fingerprint().len(), 64);
        assert_eq!(
            key.public_key().name(),
            format!("keepsake-{}", key.instance())
        );
        assert_eq!(key.origin(), format!("keepsake/{}/system", key.instance()));
        let again = AuditKey::of(&SecretKey::derive(&[7; 32])).unwrap();
        assert_eq!(again.public_key(), key.public_key());
        let other = AuditKey::of(&SecretKey::derive(&[8; 32])).unwrap();
        assert_ne!(other.instance(), key.instance());
    }
}
