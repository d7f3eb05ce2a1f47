//! The keyed hashes that SQL compares in the place of text.

use domain::{agent::AgentName, id::UserId, matcher, text};

use crate::{Result, Tx, seal::SecretKey, statement::sql};

/// Says the same within a kind: equal for contents with one normal form, within one name for a kind that has its name for an identity.
/// Made with the user's key, so that it dies with it.
pub(crate) fn fingerprint(
    key: &SecretKey,
    kind: &str,
    name: Option<&str>,
    content: &str,
) -> Vec<u8> {
    key.hash("fingerprint", &[&matcher::fingerprint(kind, name, content)])
}

/// The thing a statement is about; two approved memories of a user never share one.
pub(crate) fn slot(
    key: &SecretKey,
    kind: &str,
    name: Option<&str>,
    content: &str,
) -> Option<Vec<u8>> {
    matcher::slot(kind, name, content).map(|slot| key.hash("slot", &[&slot]))
}

/// A served line (F6): equal for lines with one normal form, whatever the kind.
pub(crate) fn line(key: &SecretKey, content: &str) -> Vec<u8> {
    key.hash("line", &[&text::normal_form(content)])
}

impl Tx {
    /// The hash of a search token. With the installation's key, because a search goes over many users; its row goes with its user.
    pub(crate) fn token_hash(&self, token: &str) -> Vec<u8> {
        let mut hash = self.vault.index.hash("search_tokens.token", &[token]);
        // Half of it is enough to tell a few million words apart.
        hash.truncate(16);
        hash
    }

    /// Makes `subject` findable by the words of `texts`, and by no others.
    pub(crate) async fn index_words(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        subject: &str,
        texts: &[&str],
    ) -> Result<()> {
        const FORGET: &str = "
            delete from search_tokens
            where agent = $1 and subject = $2";
        const SQL: &str = "
            insert into search_tokens (agent, token, subject, user_id)
            values ($1, $2, $3, $4)
            on conflict do nothing";
        sql(FORGET)
            .bind(agent)
            .bind(subject)
            .run(&mut self.conn)
            .await?;
        let mut tokens: Vec<String> = texts.iter().flat_map(|text| text::tokens(text)).collect();
        tokens.sort_unstable();
        tokens.dedup();
        for token in tokens {
            let hash = self.token_hash(&token);
            sql(SQL)
                .bind(agent)
                .bind(hash)
                .bind(subject)
                .bind(user)
                .run(&mut self.conn)
                .await?;
        }
        Ok(())
    }
}
