//! A setting that must not be seen.

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

/// Text that is absent from `Debug`; empty means not given.
#[derive(Debug, Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// The text.
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }

    /// The text, where one was given.
    pub fn given(&self) -> Option<SecretString> {
        (!self.reveal().is_empty()).then(|| self.0.clone())
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(Self::from)
    }
}
