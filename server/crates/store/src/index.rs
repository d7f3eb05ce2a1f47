//! The keyed hashes that SQL compares in the place of text.

use domain::{
    agent::AgentName,
    candidate::{Candidate, State},
    id::{CandidateId, UserId},
    matcher, text,
};

use crate::{
    Result, Tx,
    column::parsed,
    seal::SecretKey,
    statement::{ScopeColumn, sql},
};

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

/// The words that a search asks for.
pub(crate) fn search_words(search: &str) -> Vec<String> {
    let mut words = text::tokens(search);
    words.dedup();
    // The single characters at the ends of 東京 are parts of its bigram; in a longer text they do not stand alone.
    let longer = words.clone();
    words.retain(|word| {
        !longer.iter().any(|other| {
            other.len() > word.len() && word.chars().count() == 1 && other.contains(word.as_str())
        })
    });
    words
}

/// How many tokens go into one statement.
const AT_ONCE: usize = 50;

impl Tx {
    /// The hash of a search token. With the installation's key, because a search goes over many users; its row goes with its user.
    pub(crate) fn token_hash(&self, token: &str) -> Vec<u8> {
        self.hash_of_token("search_tokens.token", token)
    }

    /// The same for what waits: another hash, so that neither search walks through the rows of the other.
    pub(crate) fn candidate_token(&self, token: &str) -> Vec<u8> {
        self.hash_of_token("search_tokens.candidate", token)
    }

    fn hash_of_token(&self, label: &'static str, token: &str) -> Vec<u8> {
        let mut hash = self.vault.index.hash(label, &[token]);
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
        self.forget_words(agent, subject).await?;
        let hashes = words_of(texts)
            .iter()
            .map(|word| self.token_hash(word))
            .collect();
        self.insert_words(agent, user, subject, hashes).await
    }

    /// Makes a candidate findable by the words it shows.
    pub(crate) async fn index_candidate(&mut self, candidate: &Candidate) -> Result<()> {
        let proposal = &candidate.proposal;
        let texts: Vec<&str> = [Some(proposal.content.as_str()), proposal.name.as_deref()]
            .into_iter()
            .flatten()
            .chain(proposal.tags.iter().map(String::as_str))
            .collect();
        let hashes = words_of(&texts)
            .iter()
            .map(|word| self.candidate_token(word))
            .collect();
        let Candidate {
            agent, id, user, ..
        } = candidate;
        self.insert_words(agent, user, id.as_str(), hashes).await
    }

    /// Makes `subject` findable no more.
    pub(crate) async fn forget_words(&mut self, agent: &AgentName, subject: &str) -> Result<()> {
        const SQL: &str = "
            delete from search_tokens
            where agent = $1 and subject = $2";
        sql(SQL)
            .bind(agent)
            .bind(subject)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    async fn insert_words(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        subject: &str,
        hashes: Vec<Vec<u8>>,
    ) -> Result<()> {
        const SQL: &str = "
            insert into search_tokens (agent, token, subject, user_id)
            values ";
        for some in hashes.chunks(AT_ONCE) {
            let mut insert = sql(SQL);
            for (number, hash) in some.iter().enumerate() {
                insert = insert
                    .clause(if number == 0 { "(?" } else { ", (?" }, agent)
                    .clause(", ?", hash.as_slice())
                    .clause(", ?", subject)
                    .clause(", ?)", user);
            }
            insert
                .push(" on conflict do nothing")
                .run(&mut self.conn)
                .await?;
        }
        Ok(())
    }

    /// Makes those of the candidates after `after` findable that wait and are not, up to `limit`; the last of them, or `None` where
    /// there are no more. For what was proposed before the queue could be searched.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn index_waiting(
        &mut self,
        after: Option<&CandidateId>,
        limit: u32,
    ) -> Result<Option<CandidateId>> {
        const SQL: &str = "
            select c.agent, c.user_id, c.id
            from candidates c
            where c.status = 'pending'
              and not exists (select 1 from search_tokens t where t.agent = c.agent and t.subject = c.id)";
        let mut missing: Vec<(String, String, String)> = sql(SQL)
            .scope_along(ScopeColumn::Candidate, &self.scope().clone())
            .clause_if(" and c.id > ?", after)
            .clause(" order by c.id limit ?", limit)
            .all(&mut self.conn)
            .await?;
        let last = missing.last().map(|(_, _, id)| parsed(id)).transpose()?;
        // Locks are taken in one order, whichever process runs this.
        missing.sort_unstable();
        for (_, _, id) in missing {
            match self.candidate_for_update(&parsed(&id)?).await {
                Ok(Some(candidate)) if candidate.state == State::Pending => {
                    self.index_candidate(&candidate).await?;
                }
                Ok(_) => {}
                // The others can be found all the same.
                Err(error) if error.is_of_one_row() => {
                    tracing::error!(candidate = %id, %error, "a candidate could not be made findable");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(last)
    }
}

fn words_of(texts: &[&str]) -> Vec<String> {
    let mut words: Vec<String> = texts.iter().flat_map(|text| text::tokens(text)).collect();
    words.sort_unstable();
    words.dedup();
    words
}
