//! Searching memories: the tokens find them, BM25 over what was found orders them.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    id::{MemoryId, UserId},
    join::one_voice,
    memory::Memory,
    permission::{Permission, Permit},
    rank,
};
use store::Tx;

use super::{
    Found, MemoryFilter,
    read::{history, shown},
};
use crate::{Engine, error::Result, need, opt_out, page::List};

/// Memories of one look.
const AT_ONCE: u32 = 500;

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
        let rows = match wanted.user.clone() {
            Some(user) => of_person(&mut tx, permit, &wanted, &user, now).await?,
            None => {
                wanted.search = Some(query.to_owned());
                let part = store::Page::first(AT_ONCE);
                tx.memories(&wanted, &part, now).await?.rows
            }
        };
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

/// The memories of a person, under all of their ids (G15). An agent is told of what contradicts each other only what a context would
/// hold.
async fn of_person(
    tx: &mut Tx,
    permit: &Permit,
    wanted: &store::MemoryFilter,
    user: &UserId,
    now: Timestamp,
) -> Result<Vec<Memory>> {
    let ids = match tx.user(user).await? {
        Some(user) => tx.together(&user.agent, &user.id).await?,
        None => vec![user.clone()],
    };
    // Of several ids what has a grace is read as well: it silences what another id says otherwise.
    let told = wanted.told && ids.len() == 1;
    let mut of_ids = Vec::with_capacity(ids.len());
    for id in ids {
        let wanted = store::MemoryFilter {
            user: Some(id),
            told,
            ..wanted.clone()
        };
        of_ids.push(all(tx, &wanted, now).await?);
    }
    if history(permit) || of_ids.len() == 1 {
        return Ok(of_ids.into_iter().flatten().collect());
    }
    let mut told = one_voice(of_ids).told;
    told.retain(|memory| memory.told(now));
    Ok(told)
}

async fn all(tx: &mut Tx, wanted: &store::MemoryFilter, now: Timestamp) -> Result<Vec<Memory>> {
    let mut part = store::Page::first(AT_ONCE);
    let mut rows = Vec::new();
    loop {
        let found = tx.memories(wanted, &part, now).await?;
        rows.extend(found.rows);
        part.after = found.next;
        if part.after.is_none() {
            return Ok(rows);
        }
    }
}
