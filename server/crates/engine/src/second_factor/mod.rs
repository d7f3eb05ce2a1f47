//! The second factor of people who sign in: a code of an app that changes every thirty seconds, or one of ten recovery codes for who has
//! lost the app. It is shown first and switched on by the first code, so that nobody locks themselves out with an app that has it not.

mod recovery;
mod totp;

pub use recovery::RecoveryCodes;

use domain::{
    Timestamp,
    id::PersonId,
    permission::{Permission, Permit},
    time::Span,
};
use store::{SecondFactor, SecondProof, Stamp, Tx};

use crate::{
    Engine, again,
    error::{EngineError, Result},
    need,
    person::PersonView,
};

/// How long a secret that was shown waits for its first code.
pub const SETUP_HOLDS: Span = Span::minutes(30);

/// What an app has to be given.
#[derive(Clone, PartialEq, Eq)]
pub struct SecondFactorSetup {
    /// The secret in base 32, in groups of four letters, to be typed.
    pub secret: String,
    /// The same as an address that apps open, and read out of a QR code: `otpauth://totp/…`.
    pub address: String,
}

impl std::fmt::Debug for SecondFactorSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecondFactorSetup(…)")
    }
}

impl Engine {
    /// Makes a secret for a person, which waits for its first code for half an hour; one that waited before is worthless. Where a second
    /// factor is on already, it stays as it is.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn begin_second_factor(&self, id: &PersonId) -> Result<()> {
        let secret = totp::new_secret(self.entropy());
        again!(self.begin_second_factor_once(id, &secret).await)
    }

    async fn begin_second_factor_once(&self, id: &PersonId, secret: &[u8]) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.put_second_factor(id, secret, self.now() + SETUP_HOLDS)
            .await?;
        Ok(tx.commit().await?)
    }

    /// What waits for its first code, to be shown; `None` where nothing does, and once it is on.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn second_factor_setup(&self, id: &PersonId) -> Result<Option<SecondFactorSetup>> {
        let mut tx = self.read_all().await?;
        let Some((factor, _)) = waiting(&mut tx, id, self.now()).await? else {
            return Ok(None);
        };
        let person = tx.person(id).await?.ok_or(EngineError::NotFound)?;
        Ok(Some(SecondFactorSetup {
            secret: totp::grouped(&factor.secret)?,
            address: totp::address(&factor.secret, &person.email)?,
        }))
    }

    /// Switches the second factor on, with the first code that the app makes. Whoever signed in with the password alone is out: every
    /// session but the one with this token ends.
    ///
    /// # Errors
    /// `invalid` at `/code`; `no_second_factor` where none waits.
    pub async fn enable_second_factor(
        &self,
        id: &PersonId,
        code: &str,
        token: &str,
    ) -> Result<RecoveryCodes> {
        let codes = RecoveryCodes::new(self.entropy());
        again!(
            self.enable_second_factor_once(id, code, token, &codes)
                .await
        )?;
        Ok(codes)
    }

    async fn enable_second_factor_once(
        &self,
        id: &PersonId,
        code: &str,
        token: &str,
        codes: &RecoveryCodes,
    ) -> Result<()> {
        let mut tx = self.write_all().await?;
        // No sign-in passes it: each is over before the time of this, or asks for the code.
        tx.lock_person(id).await?;
        let stamp = Stamp::person_alone(id, self.now());
        let (factor, seen) = waiting(&mut tx, id, stamp.now)
            .await?
            .ok_or(EngineError::NoSecondFactor)?;
        let step = totp::step(&factor.secret, &recovery::typed(code), stamp.now)?;
        let step = step.ok_or_else(|| {
            let detail = "this code is not right; take the one that the app shows now";
            EngineError::invalid("/code", "wrong_code", detail)
        })?;
        tx.enable_second_factor(id, seen, step, &codes.plain(), &stamp)
            .await
            .map_err(none_there)?;
        tx.delete_sessions_of(id, Some(token)).await?;
        Ok(tx.commit().await?)
    }

    /// Makes ten recovery codes; those from before hold no more.
    ///
    /// # Errors
    /// `no_second_factor`.
    pub async fn renew_recovery_codes(&self, id: &PersonId) -> Result<RecoveryCodes> {
        let codes = RecoveryCodes::new(self.entropy());
        again!(self.renew_recovery_codes_once(id, &codes).await)?;
        Ok(codes)
    }

    async fn renew_recovery_codes_once(&self, id: &PersonId, codes: &RecoveryCodes) -> Result<()> {
        let stamp = Stamp::person_alone(id, self.now());
        let mut tx = self.write_all().await?;
        tx.renew_recovery_codes(id, &codes.plain(), &stamp)
            .await
            .map_err(none_there)?;
        Ok(tx.commit().await?)
    }

    /// How many recovery codes a person has left.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn recovery_codes_left(&self, id: &PersonId) -> Result<i64> {
        Ok(self.read_all().await?.recovery_codes_left(id).await?)
    }

    /// Switches a person's own second factor off, with the recovery codes.
    ///
    /// # Errors
    /// `no_second_factor`.
    pub async fn disable_second_factor(&self, id: &PersonId) -> Result<()> {
        again!(self.disable_second_factor_once(id).await)
    }

    async fn disable_second_factor_once(&self, id: &PersonId) -> Result<()> {
        let stamp = Stamp::person_alone(id, self.now());
        let mut tx = self.write_all().await?;
        tx.disable_second_factor(id, &stamp)
            .await
            .map_err(none_there)?;
        Ok(tx.commit().await?)
    }

    /// Takes the second factor of somebody away who has lost app and recovery codes; their sessions end.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; `no_second_factor`.
    pub async fn reset_second_factor(&self, permit: &Permit, id: &PersonId) -> Result<PersonView> {
        need(permit, &[Permission::ManagePeople])?;
        again!(self.reset_second_factor_once(permit, id).await)
    }

    async fn reset_second_factor_once(&self, permit: &Permit, id: &PersonId) -> Result<PersonView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write_all().await?;
        tx.person(id).await?.ok_or(EngineError::NotFound)?;
        tx.reset_second_factor(id, &stamp)
            .await
            .map_err(none_there)?;
        let after = tx.person(id).await?.ok_or(EngineError::NotFound)?;
        tx.commit().await?;
        Ok(after.into())
    }
}

/// Uses what was typed up, where it is a code of the app or a recovery code; `None` where it is neither, or was used before.
pub(crate) async fn take(
    tx: &mut Tx,
    id: &PersonId,
    code: &str,
    now: Timestamp,
) -> Result<Option<SecondProof>> {
    let Some(factor) = tx.second_factor(id).await? else {
        return Ok(None);
    };
    if factor.enabled_at.is_none() {
        return Ok(None);
    }
    let typed = recovery::typed(code);
    if let Some(step) = totp::step(&factor.secret, &typed, now)? {
        let taken = tx.take_code_step(id, step).await?;
        return Ok(taken.then_some(SecondProof::Code));
    }
    let taken = tx.take_recovery_code(id, &recovery::meant(&typed)).await?;
    Ok(taken.then_some(SecondProof::RecoveryCode))
}

/// What waits for its first code, and until when.
async fn waiting(
    tx: &mut Tx,
    id: &PersonId,
    now: Timestamp,
) -> Result<Option<(SecondFactor, Timestamp)>> {
    let factor = tx.second_factor(id).await?;
    Ok(factor.and_then(|factor| {
        let until = factor.expires_at.filter(|until| *until > now)?;
        Some((factor, until))
    }))
}

fn none_there(error: store::Error) -> EngineError {
    match error {
        store::Error::Stale => EngineError::NoSecondFactor,
        error => error.into(),
    }
}
