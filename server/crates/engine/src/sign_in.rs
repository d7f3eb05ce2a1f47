//! Signing in: throttled by account and by address with doubling delays, never locked for good; an unknown person costs the same
//! time and gets the same words.

use std::{net::IpAddr, time::Duration};

use domain::{Timestamp, id::PersonId, time::Span};
use secrecy::SecretString;
use store::{Person, Stamp, Throttle, Tx};

use crate::{
    Engine, again,
    error::{EngineError, Result},
    password,
    person::PersonView,
};

/// Wrong tries of an account before the first delay.
const FREE_OF_ACCOUNT: i64 = 5;
/// Wrong tries from an address before the first delay: an office shares one.
const FREE_OF_ADDRESS: i64 = 20;
/// The longest delay.
const LONGEST: Span = Span::minutes(15);

/// The wait after so many wrong tries: nothing, then 1 s, 2 s, 4 s … up to a quarter of an hour.
fn delay(failures: i64, free: i64) -> Span {
    match failures - free {
        i64::MIN..=0 => Span::zero(),
        over => Span::seconds(1_i64 << (over - 1).min(20)).min(LONGEST),
    }
}

/// The account of an address, as tries are counted by it.
pub(crate) fn account(email: &str) -> String {
    format!("account:{}", email.trim().to_lowercase())
}

/// What is throttled: an account by its address, and where the tries come from. An IPv6 household counts as one.
fn subjects(email: &str, address: IpAddr) -> [(String, i64); 2] {
    let from = match address {
        IpAddr::V6(v6) if v6.to_ipv4_mapped().is_none() => {
            let network: Vec<String> = v6.segments()[..4]
                .iter()
                .map(|part| format!("{part:x}"))
                .collect();
            network.join(":")
        }
        other => other.to_canonical().to_string(),
    };
    [
        (account(email), FREE_OF_ACCOUNT),
        (format!("address:{from}"), FREE_OF_ADDRESS),
    ]
}

impl Engine {
    /// Checks an address and a password, and tells the chain that the person signed in.
    ///
    /// # Errors
    /// `wrong_credentials` or `throttled`.
    pub async fn sign_in(
        &self,
        email: &str,
        password: SecretString,
        address: IpAddr,
    ) -> Result<PersonView> {
        let person = self.prove(email, password, address).await?;
        again!(self.tell_sign_in(&person.id).await)?;
        Ok(person.into())
    }

    async fn tell_sign_in(&self, person: &PersonId) -> Result<()> {
        let stamp = Stamp::person_alone(person, self.now());
        let mut tx = self.write_all().await?;
        tx.signed_in(person, &stamp).await?;
        Ok(tx.commit().await?)
    }

    /// Checks an address and a password; each try counts.
    ///
    /// # Errors
    /// `wrong_credentials` or `throttled`.
    pub(crate) async fn prove(
        &self,
        email: &str,
        password: SecretString,
        address: IpAddr,
    ) -> Result<Person> {
        let subjects = subjects(email, address);
        // The try counts before it is looked at: a hundred at once must not all pass the check first.
        again!(self.count_try(&subjects).await)?;
        let person = self
            .read_all()
            .await?
            .person_by_email(email)
            .await?
            .filter(|person| person.deactivated_at.is_none());
        // What no password can be is not hashed at length; the answer stays the same.
        let absurd =
            secrecy::ExposeSecret::expose_secret(&password).len() > 4 * password::LENGTH.end();
        let password = if absurd {
            SecretString::from("")
        } else {
            password
        };
        let hash = person
            .as_ref()
            .and_then(|person| person.password_hash.clone());
        let outdated = hash.as_deref().is_some_and(password::outdated);
        let fits = self.inner.passwords.fits(password.clone(), hash).await?;
        let Some(person) = person.filter(|_| fits) else {
            return Err(EngineError::WrongCredentials);
        };
        if outdated {
            let hash = self.inner.passwords.hash(password, self.entropy()).await?;
            again!(self.keep_hash(&person.id, &hash).await)?;
        }
        again!(self.count_success(&subjects).await)?;
        Ok(person)
    }

    async fn count_try(&self, subjects: &[(String, i64); 2]) -> Result<()> {
        let now = self.now();
        let mut tx = self.write_all().await?;
        let mut failures = [0; 2];
        for ((subject, _), failures) in subjects.iter().zip(&mut failures) {
            let throttle = tx.throttle(subject, now).await?;
            if throttle.next_at > now {
                return Err(EngineError::Throttled {
                    retry_after: (throttle.next_at - now).to_std().unwrap_or(Duration::ZERO),
                });
            }
            *failures = throttle.failures;
        }
        for ((subject, free), failures) in subjects.iter().zip(failures) {
            tx.note_failure(
                subject,
                Throttle {
                    failures: failures + 1,
                    next_at: now + delay(failures + 1, *free),
                },
                now,
            )
            .await?;
        }
        Ok(tx.commit().await?)
    }

    /// A hash of weaker parameters than today's is replaced while the password is at hand.
    async fn keep_hash(&self, person: &PersonId, hash: &str) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.set_password_hash(person, hash).await?;
        Ok(tx.commit().await?)
    }

    async fn count_success(&self, subjects: &[(String, i64); 2]) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.clear_failures(&subjects[0].0).await?;
        forgive(&mut tx, &subjects[1].0, self.now()).await?;
        Ok(tx.commit().await?)
    }

    /// Tells the chain that a person signed out.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn sign_out(&self, person: &PersonId) -> Result<()> {
        let stamp = Stamp::person_alone(person, self.now());
        let mut tx = self.write_all().await?;
        tx.signed_out(person, &stamp).await?;
        Ok(tx.commit().await?)
    }
}

/// Takes back the try that turned out right, and only that: one own account must not wash an address clean.
async fn forgive(tx: &mut Tx, subject: &str, now: Timestamp) -> Result<()> {
    let failures = (tx.throttle(subject, now).await?.failures - 1).max(0);
    let throttle = Throttle {
        failures,
        next_at: now,
    };
    Ok(tx.note_failure(subject, throttle, now).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_and_never_lock_for_good() {
        let seconds: Vec<_> = (4..10)
            .map(|failures| delay(failures, 5).num_seconds())
            .collect();
        assert_eq!(seconds, [0, 0, 1, 2, 4, 8]);
        assert_eq!(delay(10_000, 5), LONGEST);
    }

    #[test]
    fn an_ipv6_network_counts_as_one_address() {
        let of = |address: &str| subjects("A@b.c ", address.parse().unwrap());
        assert_eq!(of("2001:db8::1")[1], of("2001:db8::2")[1]);
        assert_ne!(of("10.0.0.1")[1], of("10.0.0.2")[1]);
        assert_eq!(of("::ffff:10.0.0.1")[1], of("10.0.0.1")[1]);
        assert_eq!(of("10.0.0.1")[0].0, "account:a@b.c");
    }
}
