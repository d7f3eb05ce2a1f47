//! Signing in: throttled by account and by address with doubling delays, never locked for good; an unknown person costs the same
//! time and gets the same words. Who has a second factor is in only with that: between the two pages there is a token, and no session.

use std::{net::IpAddr, time::Duration};

use domain::{Timestamp, id::PersonId, time::Span};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use store::{Person, Stamp, Throttle, Tx};

use crate::{
    Engine, again,
    error::{EngineError, Result},
    password,
    person::{LinkToken, PersonView, new_token},
    second_factor,
    session::FLASH_LIVES,
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

/// What a right password, or the link to choose one, leads to.
#[derive(Debug, Clone)]
pub enum Entry {
    /// They are in, and the chain tells of it.
    Whole(Box<PersonView>),
    /// Their second factor is asked for next. The token goes on with the sign-in for ten minutes; nobody is in yet.
    Half(LinkToken),
}

/// A sign-in between its two pages, kept sealed under its token as flashes are.
#[derive(Serialize, Deserialize)]
struct HalfSignIn {
    proved: PersonId,
    /// SHA-256 of the stored password: another one since then, and the sign-in begins anew.
    password: String,
}

fn stored_password(person: &Person) -> String {
    let hash = person.password_hash.as_deref().unwrap_or_default();
    domain::audit::hex(&Sha256::digest(hash.as_bytes()))
}

impl Engine {
    /// Checks an address and a password. Who has no second factor is in with that, which is told on the chain.
    ///
    /// # Errors
    /// `wrong_credentials` or `throttled`.
    pub async fn sign_in(
        &self,
        email: &str,
        password: SecretString,
        address: IpAddr,
    ) -> Result<Entry> {
        let person = self.prove(email, password, address).await?;
        again!(self.enter(&person).await)
    }

    async fn enter(&self, person: &Person) -> Result<Entry> {
        let mut tx = self.write_all().await?;
        tx.lock_person(&person.id).await?;
        // The time is read under the lock, so that it tells what came first: this, or a second factor.
        let stamp = Stamp::person_alone(&person.id, self.now());
        let entry = self.entry(&mut tx, person, &stamp).await?;
        tx.commit().await?;
        Ok(entry)
    }

    /// Lets in who has proved the password, or keeps that they did until the code comes. The transaction has locked the person.
    pub(crate) async fn entry(&self, tx: &mut Tx, proved: &Person, stamp: &Stamp) -> Result<Entry> {
        let person = unchanged(tx, proved).await?;
        let person = person.ok_or(EngineError::WrongCredentials)?;
        if person.second_factor_at.is_none() {
            tx.signed_in(&person.id, None, stamp).await?;
            return Ok(Entry::Whole(Box::new(entered(&person, stamp))));
        }
        let half = HalfSignIn {
            proved: person.id.clone(),
            password: stored_password(&person),
        };
        let data =
            serde_json::to_vec(&half).map_err(|error| EngineError::Internal(error.into()))?;
        let token = new_token(self.entropy());
        tx.put_flash(token.reveal(), &data, stamp.now + FLASH_LIVES)
            .await?;
        Ok(Entry::Half(token))
    }

    /// Whether a sign-in goes on under this token.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn sign_in_waits(&self, token: &str) -> Result<bool> {
        Ok(self.half_signed_in(token).await?.is_some())
    }

    /// Goes on with a sign-in: with a code of the app, or a recovery code. Wrong ones are limited as wrong passwords are, by the same
    /// count.
    ///
    /// # Errors
    /// `sign_in_over` where none goes on under this token; `wrong_code` or `throttled`.
    pub async fn sign_in_with_code(
        &self,
        token: &str,
        code: &str,
        address: IpAddr,
    ) -> Result<PersonView> {
        let person = self.half_signed_in(token).await?;
        let person = person.ok_or(EngineError::SignInOver)?;
        let subjects = subjects(&person.email, address);
        // As with the password, the try counts before it is looked at.
        again!(self.count_try(&subjects).await)?;
        let view = again!(self.give_code(token, &person, code).await)?;
        again!(self.count_success(&subjects).await)?;
        Ok(view)
    }

    async fn give_code(&self, token: &str, proved: &Person, code: &str) -> Result<PersonView> {
        let mut tx = self.write_all().await?;
        tx.lock_person(&proved.id).await?;
        let stamp = Stamp::person_alone(&proved.id, self.now());
        let person = unchanged(&mut tx, proved)
            .await?
            .filter(|person| person.second_factor_at.is_some())
            .ok_or(EngineError::SignInOver)?;
        let proof = second_factor::take(&mut tx, &person.id, code, stamp.now).await?;
        let proof = proof.ok_or(EngineError::WrongCode)?;
        if tx.take_flash(token, stamp.now).await?.is_none() {
            return Err(EngineError::SignInOver);
        }
        tx.signed_in(&person.id, Some(proof), &stamp).await?;
        tx.commit().await?;
        Ok(entered(&person, &stamp))
    }

    /// Who has given the password of the sign-in that goes on under this token.
    async fn half_signed_in(&self, token: &str) -> Result<Option<Person>> {
        let mut tx = self.read_all().await?;
        let data = tx.flash(token, self.now()).await?;
        let half = data.and_then(|data| serde_json::from_slice::<HalfSignIn>(&data).ok());
        let Some(half) = half else {
            return Ok(None);
        };
        let person = tx.person(&half.proved).await?;
        Ok(person.filter(|person| {
            person.deactivated_at.is_none()
                && person.second_factor_at.is_some()
                && stored_password(person) == half.password
        }))
    }

    /// Checks the password of somebody who is signed in, and with it a code where they have a second factor. Which of the two was wrong
    /// is not said: who has taken over a session learns nothing of the password.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; `wrong_credentials` or `throttled`.
    pub async fn confirm(
        &self,
        id: &PersonId,
        password: SecretString,
        code: &str,
        address: IpAddr,
    ) -> Result<PersonView> {
        let person = self.person(id).await?.ok_or(EngineError::NotFound)?;
        match self.sign_in(&person.email, password, address).await? {
            Entry::Whole(person) => Ok(*person),
            Entry::Half(token) => {
                let entered = self.sign_in_with_code(token.reveal(), code, address).await;
                entered.map_err(|error| match error {
                    EngineError::WrongCode => EngineError::WrongCredentials,
                    error => error,
                })
            }
        }
    }

    /// Checks an address and a password; each try counts.
    ///
    /// # Errors
    /// `wrong_credentials` or `throttled`.
    async fn prove(&self, email: &str, password: SecretString, address: IpAddr) -> Result<Person> {
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
        let Some(mut person) = person.filter(|_| fits) else {
            return Err(EngineError::WrongCredentials);
        };
        if outdated {
            let hash = self.inner.passwords.hash(password, self.entropy()).await?;
            if again!(self.keep_hash(&person, &hash).await)? {
                person.password_hash = Some(hash);
            }
        }
        if person.second_factor_at.is_some() {
            // Wrong codes before it stay counted, or who has the password would begin anew at will.
            again!(self.take_back_try(&subjects).await)?;
        } else {
            again!(self.count_success(&subjects).await)?;
        }
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

    /// A hash of weaker parameters than today's is replaced while the password is at hand; not where it is another password by now.
    async fn keep_hash(&self, proved: &Person, hash: &str) -> Result<bool> {
        let mut tx = self.write_all().await?;
        tx.lock_person(&proved.id).await?;
        if unchanged(&mut tx, proved).await?.is_none() {
            return Ok(false);
        }
        tx.set_password_hash(&proved.id, hash).await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn count_success(&self, subjects: &[(String, i64); 2]) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.clear_failures(&subjects[0].0).await?;
        forgive(&mut tx, &subjects[1].0, self.now()).await?;
        Ok(tx.commit().await?)
    }

    async fn take_back_try(&self, subjects: &[(String, i64); 2]) -> Result<()> {
        let mut tx = self.write_all().await?;
        for (subject, _) in subjects {
            forgive(&mut tx, subject, self.now()).await?;
        }
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

/// Who has proved the password, as they are now; `None` where it is another one by now, or they were shut out.
async fn unchanged(tx: &mut Tx, proved: &Person) -> Result<Option<Person>> {
    let person = tx.person(&proved.id).await?;
    Ok(person.filter(|person| {
        person.deactivated_at.is_none() && person.password_hash == proved.password_hash
    }))
}

/// A person who has just signed in.
fn entered(person: &Person, stamp: &Stamp) -> PersonView {
    let person = Person {
        signed_in_at: Some(stamp.now),
        ..person.clone()
    };
    person.into()
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
