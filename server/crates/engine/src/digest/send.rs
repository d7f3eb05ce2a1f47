//! Sends a digest: to the webhook of a chat program, or by e-mail. No transaction is open here.

use std::time::Duration;

use domain::Timestamp;
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message as Mail, Tokio1Executor,
    message::{Mailbox, header},
    transport::smtp::extension::ClientId,
};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::{shape::Shape, words::Message};
use crate::outside::{Outgoing, post};

/// How long a peer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why it could not be sent, in a word: it is kept, and shown in the reader's language.
type Failed = String;

impl Outgoing {
    /// To a webhook.
    pub(super) async fn post(
        &self,
        url: &str,
        shape: Shape,
        message: &Message,
    ) -> Result<(), Failed> {
        let body = shape.body(message).to_string();
        let answer = post(url, &self.allowed_private, PATIENCE, &[], body).await?;
        if answer.took_it() {
            Ok(())
        } else {
            Err(format!("answered_{}", answer.status))
        }
    }

    /// By e-mail, through the server of the installation. `id` makes the message one of its own.
    pub(super) async fn mail(
        &self,
        to: &str,
        message: &Message,
        id: &str,
        now: Timestamp,
    ) -> Result<(), Failed> {
        let Some((server, from)) = self.mail_server() else {
            return Err("mail_off".to_owned());
        };
        let from: Mailbox = from.parse().map_err(|_| "mail_off")?;
        let to: Mailbox = to.parse().map_err(|_| "mail_refused")?;
        let here = self.host();
        let links = message.links.iter();
        let links = links.map(|(label, at)| format!("{label}: {at}"));
        let body: Vec<String> = message.lines.iter().cloned().chain(links).collect();
        let mail = Mail::builder()
            .from(from)
            .to(to)
            .subject(message.title.clone())
            .date(now.into())
            .message_id(Some(format!("<{id}@{here}>")))
            .header(AutoSubmitted)
            .header(header::ContentType::TEXT_PLAIN)
            .body(body.join("\n\n"))
            .map_err(|_| "mail_refused")?;
        let server = AsyncSmtpTransport::<Tokio1Executor>::from_url(server.expose_secret())
            .map_err(|_| "mail_off")?
            .timeout(Some(PATIENCE))
            .hello_name(ClientId::Domain(here))
            .build();
        match tokio::time::timeout(PATIENCE * 3, server.send(mail)).await {
            Err(_) => Err("timeout".to_owned()),
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) if error.is_permanent() || error.is_transient() => {
                Err("mail_refused".to_owned())
            }
            Ok(Err(error)) if error.is_timeout() => Err("timeout".to_owned()),
            Ok(Err(_)) => Err("unreachable".to_owned()),
        }
    }

    fn mail_server(&self) -> Option<(&SecretString, &str)> {
        let server = self.smtp_url.as_ref()?;
        (!self.mail_from.is_empty()).then_some((server, self.mail_from.as_str()))
    }

    /// Whether e-mail can be sent at all.
    pub fn has_mail(&self) -> bool {
        self.mail_server().is_some()
    }

    /// The name of this installation, for a mail server.
    fn host(&self) -> String {
        let url: Option<Url> = self.public_url.parse().ok();
        url.and_then(|url| url.host_str().map(str::to_owned))
            .unwrap_or_else(|| "localhost".to_owned())
    }
}

/// Keeps vacation programs from answering (RFC 3834).
#[derive(Clone)]
struct AutoSubmitted;

impl header::Header for AutoSubmitted {
    fn name() -> header::HeaderName {
        header::HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> header::HeaderValue {
        header::HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}
