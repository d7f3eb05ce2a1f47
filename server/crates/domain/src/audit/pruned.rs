//! The proof of many leaves at once: a tree of which every subtree without a leaf that is shown is cut down to its root.
//!
//! Whoever has the leaves that are shown and the roots of what was cut, from left to right, comes to the root of the whole tree, and
//! learns nothing of what was cut. The larger the stretches without a shown leaf, the fewer hashes: 100 leaves of a million need about
//! 1,500, all of them none.

use std::iter::Peekable;

use super::{
    Hash,
    tree::{Extent, empty_root, node_hash},
};

/// A tree that is cut down to the leaves that are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pruned {
    /// How far the whole tree reaches, and its root.
    pub extent: Extent,
    /// The roots of the largest subtrees that hold no leaf that is shown, from left to right.
    pub hashes: Vec<Hash>,
}

/// Why leaves and hashes are no proof, whatever the root is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidProof {
    /// The leaves do not rise, or lie beyond the tree.
    #[error("the leaves do not rise, or lie beyond the size of the tree")]
    Leaves,
    /// A subtree without leaves has no hash.
    #[error("there are fewer hashes than subtrees without a leaf")]
    Short,
    /// There are hashes that stand for nothing.
    #[error("there are more hashes than subtrees without a leaf")]
    Long,
}

/// Cuts a tree while its leaves go by, in order. Besides the hashes it answers with, it holds one root a level.
#[derive(Debug, Clone, Default)]
pub struct Prover {
    size: u64,
    /// The full trees that the leaves make up, the largest first: one for each bit that is set in `size`.
    peaks: Vec<Peak>,
    hashes: Vec<Hash>,
}

#[derive(Debug, Clone, Copy)]
struct Peak {
    root: Hash,
    /// Whether it holds a leaf that is shown, or its root is among the hashes.
    settled: bool,
}

impl Peak {
    /// What it is the root of holds no leaf that is shown, and the tree above it does.
    fn settle(&mut self, hashes: &mut Vec<Hash>) {
        if !self.settled {
            hashes.push(self.root);
            self.settled = true;
        }
    }
}

impl Prover {
    /// Appends a leaf, and says whether it is shown.
    pub fn push(&mut self, leaf: Hash, shown: bool) {
        if shown {
            // A peak is larger than all to its right, so the new leaf is below its sibling: nothing larger than it can be cut.
            for peak in &mut self.peaks {
                peak.settle(&mut self.hashes);
            }
        }
        let mut node = Peak {
            root: leaf,
            settled: shown,
        };
        // As in adding one to a binary number: each one at its end carries.
        for _ in 0..self.size.trailing_ones() {
            let left = self.peaks.pop().expect("a peak for each bit of the size");
            node = self.join(left, node);
        }
        self.peaks.push(node);
        self.size += 1;
    }

    /// Ends the tree with the leaves that were pushed.
    pub fn finish(mut self) -> Pruned {
        let root = match self.peaks.pop() {
            None => empty_root(),
            Some(mut node) => {
                while let Some(left) = self.peaks.pop() {
                    node = self.join(left, node);
                }
                // Nothing is shown: the whole tree is cut down to its root.
                node.settle(&mut self.hashes);
                node.root
            }
        };
        Pruned {
            extent: Extent {
                size: self.size,
                root,
            },
            hashes: self.hashes,
        }
    }

    /// The tree over two. Where the left one is not settled the right one is not either: a leaf that is shown settles all before it.
    fn join(&mut self, left: Peak, mut right: Peak) -> Peak {
        if left.settled {
            right.settle(&mut self.hashes);
        }
        Peak {
            root: node_hash(&left.root, &right.root),
            settled: left.settled,
        }
    }
}

/// Cuts the tree over `leaves` down to those whose numbers, from 0, are in `shown`.
///
/// # Errors
/// [`InvalidProof::Leaves`] where the numbers do not rise or there are fewer leaves.
pub fn prove(
    shown: impl IntoIterator<Item = u64>,
    leaves: impl IntoIterator<Item = Hash>,
) -> Result<Pruned, InvalidProof> {
    let mut shown = shown.into_iter().peekable();
    let mut prover = Prover::default();
    for (number, leaf) in (0_u64..).zip(leaves) {
        let is_shown = shown.next_if_eq(&number).is_some();
        prover.push(leaf, is_shown);
    }
    match shown.next() {
        None => Ok(prover.finish()),
        Some(_) => Err(InvalidProof::Leaves),
    }
}

/// The root that `shown` (numbers from 0, and the hashes of those leaves) and `hashes` lead to in a tree of `size` leaves. It is the
/// caller's to compare it with the root that was signed. Both are taken one by one, so neither has to be in memory.
///
/// # Errors
/// [`InvalidProof`] where they do not fit each other; what is left of them then was not taken.
pub fn root(
    size: u64,
    shown: impl IntoIterator<Item = (u64, Hash)>,
    hashes: impl IntoIterator<Item = Hash>,
) -> Result<Hash, InvalidProof> {
    let mut walk = Walk {
        shown: shown.into_iter().peekable(),
        hashes: hashes.into_iter(),
    };
    let root = if size == 0 {
        empty_root()
    } else {
        walk.subtree(0, size)?
    };
    if walk.shown.peek().is_some() {
        return Err(InvalidProof::Leaves);
    }
    if walk.hashes.next().is_some() {
        return Err(InvalidProof::Long);
    }
    Ok(root)
}

struct Walk<S: Iterator, H> {
    shown: Peekable<S>,
    hashes: H,
}

impl<S: Iterator<Item = (u64, Hash)>, H: Iterator<Item = Hash>> Walk<S, H> {
    /// The root over the leaves `from .. to`, of which there is at least one.
    fn subtree(&mut self, from: u64, to: u64) -> Result<Hash, InvalidProof> {
        match self.shown.peek() {
            // It should have come further to the left.
            Some((number, _)) if *number < from => Err(InvalidProof::Leaves),
            Some((number, leaf)) if *number < to => {
                if to - from == 1 {
                    let leaf = *leaf;
                    self.shown.next();
                    return Ok(leaf);
                }
                let middle = from + (1_u64 << (to - from - 1).ilog2());
                let left = self.subtree(from, middle)?;
                let right = self.subtree(middle, to)?;
                Ok(node_hash(&left, &right))
            }
            _ => self.hashes.next().ok_or(InvalidProof::Short),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::audit::{leaf_hash, tree::Tree};

    const MOST: u64 = 200;

    fn leaves(size: u64) -> Vec<Hash> {
        (0..size)
            .map(|number| leaf_hash(&number.to_string()))
            .collect()
    }

    fn choose(leaves: &[Hash], shown: impl Fn(u64) -> bool) -> Vec<(u64, Hash)> {
        (0..)
            .zip(leaves.iter().copied())
            .filter(|(number, _)| shown(*number))
            .collect()
    }

    fn pruned(leaves: &[Hash], shown: &[(u64, Hash)]) -> Pruned {
        let numbers = shown.iter().map(|(number, _)| *number);
        prove(numbers, leaves.iter().copied()).unwrap()
    }

    #[test]
    fn what_shows_nothing_has_one_hash_and_what_shows_all_has_none() {
        let all = leaves(MOST);
        let tree: Tree = all.iter().copied().collect();
        for size in 0..=MOST {
            let leaves = &all[..size as usize];
            let extent = tree.extent_at(size).unwrap();

            let nothing = pruned(leaves, &[]);
            assert_eq!(nothing.extent, extent);
            let cut_to_the_root = if size == 0 { vec![] } else { vec![extent.root] };
            assert_eq!(nothing.hashes, cut_to_the_root);
            assert_eq!(root(size, [], nothing.hashes), Ok(extent.root));

            let whole = choose(leaves, |_| true);
            let everything = pruned(leaves, &whole);
            assert_eq!((everything.extent, everything.hashes), (extent, Vec::new()));
            assert_eq!(root(size, whole, []), Ok(extent.root));
        }
    }

    #[test]
    fn one_leaf_needs_the_hashes_of_its_inclusion_proof() {
        let all = leaves(MOST);
        let tree: Tree = all.iter().copied().collect();
        for number in 0..MOST {
            let shown = choose(&all, |other| other == number);
            let mut hashes = pruned(&all, &shown).hashes;
            let mut proof = tree.inclusion(number, MOST).unwrap();
            hashes.sort_unstable();
            proof.sort_unstable();
            assert_eq!(hashes, proof);
        }
    }

    #[test]
    fn leaves_that_do_not_rise_or_lie_beyond_the_tree_are_refused() {
        let all = leaves(4);
        let leaf = |number: u64| (number, all[number as usize]);
        assert_eq!(
            prove([2, 1], all.iter().copied()),
            Err(InvalidProof::Leaves)
        );
        assert_eq!(
            prove([1, 1], all.iter().copied()),
            Err(InvalidProof::Leaves)
        );
        assert_eq!(prove([4], all.iter().copied()), Err(InvalidProof::Leaves));
        let whole = [leaf(0), leaf(1), leaf(2), leaf(3)];
        assert!(root(4, whole, []).is_ok());
        for shown in [
            vec![leaf(0), leaf(0), leaf(1), leaf(2), leaf(3)],
            vec![leaf(1), leaf(0), leaf(2), leaf(3)],
            vec![leaf(0), leaf(1), leaf(2), leaf(3), (4, all[0])],
            vec![(u64::MAX, all[0])],
        ] {
            assert!(root(4, shown, []).is_err());
        }
        assert_eq!(root(0, [leaf(0)], []), Err(InvalidProof::Leaves));
        assert_eq!(root(0, [], [all[0]]), Err(InvalidProof::Long));
    }

    proptest! {
        // Each case walks the tree some hundred times.
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn any_choice_leads_to_the_root_and_nothing_else_does(
            size in 0..=MOST,
            picked in vec(prop::bool::weighted(0.2), MOST as usize),
            bit in 0_usize..256,
        ) {
            let leaves = leaves(size);
            let tree: Tree = leaves.iter().copied().collect();
            let signed = tree.root_at(size).unwrap();
            let shown = choose(&leaves, |number| picked[number as usize]);
            let Pruned { extent, hashes } = pruned(&leaves, &shown);
            prop_assert_eq!(extent, tree.extent_at(size).unwrap());

            let leads = |shown: &[(u64, Hash)], hashes: &[Hash]| {
                root(size, shown.iter().copied(), hashes.iter().copied()) == Ok(signed)
            };
            prop_assert!(leads(&shown, &hashes));
            let flipped = |hash: &mut Hash| hash[bit / 8] ^= 1 << (bit % 8);

            for number in 0..hashes.len() {
                let mut changed = hashes.clone();
                flipped(&mut changed[number]);
                prop_assert!(!leads(&shown, &changed));
                let mut fewer = hashes.clone();
                fewer.remove(number);
                prop_assert!(!leads(&shown, &fewer));
                let mut more = hashes.clone();
                more.insert(number, hashes[number]);
                prop_assert!(!leads(&shown, &more));
            }
            prop_assert!(!leads(&shown, &[hashes.as_slice(), &[signed]].concat()));

            for number in 0..shown.len() {
                let mut changed = shown.clone();
                flipped(&mut changed[number].1);
                prop_assert!(!leads(&changed, &hashes));
                let mut fewer = shown.clone();
                fewer.remove(number);
                prop_assert!(!leads(&fewer, &hashes));
            }
            // A leaf that is in the tree, and shown without having been proven.
            for hidden in choose(&leaves, |number| !picked[number as usize]) {
                let mut more = shown.clone();
                let place = more.partition_point(|(number, _)| *number < hidden.0);
                more.insert(place, hidden);
                prop_assert!(!leads(&more, &hashes));
            }
        }
    }
}
