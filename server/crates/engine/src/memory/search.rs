//! Searching memories: the tokens find them, BM25 over what was found orders them.

use std::collections::BTreeMap;

use domain::{
    id::MemoryId,
    permission::{Permission, Permit},
    rank,
};

use super::{Found, MemoryFilter, read::shown};
use crate::{Engine, error::Result, need, opt_out, page::List};

impl Engine {
    /// The memories that fit a query best. Within one user all of theirs are ranked; over many users only those that hold every
    /// word of the query.
    ///
    /// # Errors
    /// As [`Engine::memories`].
    pub async fn search(
        &self,
        permit: &Permit,
        filter: MemoryFilter,
        query: &str,
        limit: u32,
    ) -> Result<List<Found>> {
        need(
            permit,
            &[
                Permission::ReadMemories,
                Permission::ReadHistory,
                Permission::Decide,
            ],
        )?;
        let now = self.now();
        let mut tx = self.read(permit).await?;
        let Some(mut wanted) = filter.resolve(&mut tx, permit).await? else {
            return Ok(List::whole(Vec::new()));
        };
        if wanted.user.is_none() {
            wanted.search = Some(query.to_owned());
        }
        let mut part = store::Page::first(500);
        let mut rows = Vec::new();
        loop {
            let found = tx.memories(&wanted, &part, now).await?;
            rows.extend(found.rows);
            part.after = found.next;
            if wanted.user.is_none() || part.after.is_none() {
                break;
            }
        }
        let rows = opt_out::readable(&mut tx, permit, rows).await?;
        let texts: Vec<&str> = rows.iter().map(|memory| memory.content.as_str()).collect();
        let best = rank::search(query, &texts);
        let best: Vec<_> = best
            .into_iter()
            .take(limit.clamp(1, 200) as usize)
            .collect();
        let scores: BTreeMap<MemoryId, f64> = best
            .iter()
            .map(|&(at, score)| (rows[at].id.clone(), score))
            .collect();
        let found = best.iter().map(|&(at, _)| rows[at].clone()).collect();
        let views = shown(&mut tx, permit, found, now).await?;
        let data = views.into_iter().map(|memory| Found {
            score: scores.get(&memory.id).copied().unwrap_or_default(),
            memory,
        });
        let data = data.collect();
        Ok(List::whole(data))
    }
}
