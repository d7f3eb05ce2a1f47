//! The servings of a bundle. One event tells of a batch of them, often about several people, with a hash over all.
//!
//! Where the export takes whole chains every batch must be whole, but for people who were erased since, and for what retention removed. An
//! export of one person or of a span cuts batches: of these only those that are whole can be compared.

use std::io;

use domain::audit::Hash;
use sha2::{Digest, Sha256};

use super::{
    BundleFaultKind, Findings,
    archive::Archive,
    ledger::{Batch, Ledger},
    lines,
};
use crate::export::bundle::{Filter, Part, ServingLine};

/// Lines of one batch that stand together.
struct Stretch {
    batch: Batch,
    first: u64,
    servings: u64,
    /// Over the canonical JSON of the list, so far.
    hasher: Sha256,
}

/// Checks the servings; answers how many lines there are.
pub(super) fn check(
    archive: &mut Archive,
    ledger: &mut Ledger,
    filter: &Filter,
    found: &mut Findings,
) -> io::Result<u64> {
    let whole = filter.takes_whole_chains();
    let mut open: Option<Stretch> = None;
    let lines = lines::each(
        archive,
        Part::Servings,
        found,
        |found, number, line: ServingLine| {
            let Some(first) = &line.batch else {
                // Which batch it was told with is not known; that of which it is the first has something here.
                ledger.meet(&(line.agent.to_string(), line.id.to_string()));
                return;
            };
            let batch = (line.agent.to_string(), first.to_string());
            if open.as_ref().is_none_or(|open| open.batch != batch) {
                if let Some(ended) = open.take() {
                    compare(ended, ledger, whole, found);
                }
                open = Some(Stretch {
                    batch,
                    first: number,
                    servings: 0,
                    hasher: Sha256::new(),
                });
            }
            if let Some(open) = &mut open {
                open.hasher
                    .update(if open.servings == 0 { "[" } else { "," });
                open.hasher.update(line.told());
                open.servings += 1;
            }
        },
    )?;
    if let Some(ended) = open {
        compare(ended, ledger, whole, found);
    }
    if whole {
        for line in ledger.unmet() {
            let detail = "the servings that it tells of are not here";
            found.add(
                Part::Events.name(),
                Some(line),
                BundleFaultKind::Serving,
                detail,
            );
        }
    }
    Ok(lines)
}

fn compare(stretch: Stretch, ledger: &mut Ledger, whole: bool, found: &mut Findings) {
    let mut fault = |detail: &str| {
        found.add(
            Part::Servings.name(),
            Some(stretch.first),
            BundleFaultKind::Serving,
            detail,
        );
    };
    let Some(told) = ledger.told(&stretch.batch) else {
        if whole {
            fault("no event here tells of these servings");
        }
        return;
    };
    let hash: Hash = stretch.hasher.chain_update("]").finalize().into();
    let right = if stretch.servings < told.servings {
        !whole || ledger.forgot(told)
    } else {
        stretch.servings == told.servings && told.hash == hash
    };
    if !right {
        fault("they are not those that their event tells of");
    }
    if !ledger.meet(&stretch.batch) {
        fault("servings of the same event stand elsewhere as well");
    }
}
