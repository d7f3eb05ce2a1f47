//! The right edge of a growing Merkle tree (RFC 9162, section 2.1) as it is kept between two checkpoints: enough to append leaves and
//! to give the root, without the leaves that came before.

use domain::audit::{Extent, Hash, tree};

/// A tree as the roots of the whole subtrees that it is made of, the largest first: one for each bit that is set in its size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Frontier {
    size: u64,
    peaks: Vec<Hash>,
}

impl Frontier {
    /// Reads what [`Self::bytes`] wrote of a tree of this size; anything else is `None`.
    pub(crate) fn read(size: i64, bytes: &[u8]) -> Option<Self> {
        let size = u64::try_from(size).ok()?;
        let (peaks, rest) = bytes.as_chunks::<32>();
        let whole = rest.is_empty() && peaks.len() == size.count_ones() as usize;
        whole.then(|| Self {
            size,
            peaks: peaks.to_vec(),
        })
    }

    /// The roots one after the other.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.peaks.concat()
    }

    /// Appends a leaf.
    pub(crate) fn push(&mut self, leaf: Hash) {
        let mut node = leaf;
        // As in adding one to a binary number: each one at its end carries.
        for _ in 0..self.size.trailing_ones() {
            let left = self.peaks.pop().expect("a root for each bit of the size");
            node = over(left, node);
        }
        self.peaks.push(node);
        self.size += 1;
    }

    /// Size and root.
    pub(crate) fn extent(&self) -> Extent {
        let joined = self.peaks.iter().rev().copied();
        Extent {
            size: self.size,
            root: joined
                .reduce(|right, left| over(left, right))
                .unwrap_or_else(tree::empty_root),
        }
    }
}

/// The node over two others, which is the root of a tree with those two as its leaves.
fn over(left: Hash, right: Hash) -> Hash {
    let mut pair = tree::Frontier::default();
    pair.push(left);
    pair.push(right);
    pair.root()
}

#[cfg(test)]
mod tests {
    use domain::audit::leaf_hash;

    use super::*;

    #[test]
    fn wherever_it_was_put_away_it_goes_on_as_if_it_had_not_been() {
        let mut whole = tree::Frontier::default();
        let mut kept = Frontier::default();
        for leaf in 0..200_i64 {
            assert_eq!(kept.extent(), whole.extent(), "{leaf}");
            kept = Frontier::read(leaf, &kept.bytes()).unwrap();
            kept.push(leaf_hash(&leaf.to_string()));
            whole.push(leaf_hash(&leaf.to_string()));
        }
    }

    #[test]
    fn what_is_no_frontier_of_this_size_is_refused() {
        assert_eq!(Frontier::read(0, &[]), Some(Frontier::default()));
        for (size, length) in [(0, 32), (1, 0), (1, 31), (3, 32), (4, 64), (-1, 32)] {
            assert_eq!(Frontier::read(size, &vec![7; length]), None, "{size}");
        }
    }
}
