//! The Merkle tree over the leaf hashes of a chain (RFC 9162, section 2.1): its root at any size, and the proofs that an event is in
//! it and that a later tree has an earlier one as its beginning.

use std::ops::Range;

use sha2::{Digest, Sha256};

use super::Hash;

/// How far a tree reaches, and its root there. Two logs with the same extent hold the same events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// How many leaves.
    pub size: u64,
    /// The root over them.
    pub root: Hash,
}

impl Extent {
    /// Whether the leaf number `index`, from 0, is `leaf` (RFC 9162, section 2.1.3.2).
    pub fn includes(&self, index: u64, leaf: &Hash, proof: &[Hash]) -> bool {
        if index >= self.size {
            return false;
        }
        let (mut node, mut last) = (index, self.size - 1);
        let mut root = *leaf;
        for sibling in proof {
            if last == 0 {
                return false;
            }
            if node & 1 == 1 || node == last {
                root = node_hash(sibling, &root);
                // The last node of a level may have no partner; then it rises as it is.
                while node & 1 == 0 && node != 0 {
                    node >>= 1;
                    last >>= 1;
                }
            } else {
                root = node_hash(&root, sibling);
            }
            node >>= 1;
            last >>= 1;
        }
        last == 0 && root == self.root
    }

    /// Whether the tree begins with all that `older` holds (RFC 9162, section 2.1.4.2). Every tree begins with the empty one and with
    /// itself, and neither needs a proof.
    pub fn extends(&self, older: &Self, proof: &[Hash]) -> bool {
        if older.size >= self.size {
            return older == self && proof.is_empty();
        }
        if older.size == 0 {
            return older.root == empty_root() && proof.is_empty();
        }
        let mut proof = proof.iter();
        let first = if older.size.is_power_of_two() {
            // The older tree is a node of the later one, so the proof need not name it.
            older.root
        } else {
            match proof.next() {
                Some(first) => *first,
                None => return false,
            }
        };
        let (mut node, mut last) = (older.size - 1, self.size - 1);
        while node & 1 == 1 {
            node >>= 1;
            last >>= 1;
        }
        let (mut old, mut new) = (first, first);
        for sibling in proof {
            if last == 0 {
                return false;
            }
            if node & 1 == 1 || node == last {
                old = node_hash(sibling, &old);
                new = node_hash(sibling, &new);
                while node & 1 == 0 && node != 0 {
                    node >>= 1;
                    last >>= 1;
                }
            } else {
                new = node_hash(&new, sibling);
            }
            node >>= 1;
            last >>= 1;
        }
        last == 0 && old == older.root && new == self.root
    }
}

/// The root of a tree without leaves.
pub fn empty_root() -> Hash {
    Sha256::digest([]).into()
}

/// The hash of an inner node (RFC 9162, section 2.1.1).
pub(super) fn node_hash(left: &Hash, right: &Hash) -> Hash {
    let mut node = [1_u8; 65];
    node[1..33].copy_from_slice(left);
    node[33..].copy_from_slice(right);
    Sha256::digest(node).into()
}

/// The right edge of a growing tree: enough for its root, in memory of the logarithm of its size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    /// The roots of the full trees that the leaves make up, the largest first: one for each bit that is set in `size`.
    peaks: Vec<Hash>,
}

impl Frontier {
    /// Appends a leaf.
    pub fn push(&mut self, leaf: Hash) {
        let mut node = leaf;
        // As in adding one to a binary number: each one at its end carries.
        for _ in 0..self.size.trailing_ones() {
            let left = self.peaks.pop().expect("a peak for each bit of the size");
            node = node_hash(&left, &node);
        }
        self.peaks.push(node);
        self.size += 1;
    }

    /// How many leaves there are.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The root over all leaves so far.
    pub fn root(&self) -> Hash {
        let joined = self.peaks.iter().rev().copied();
        joined
            .reduce(|right, left| node_hash(&left, &right))
            .unwrap_or_else(empty_root)
    }

    /// Size and root.
    pub fn extent(&self) -> Extent {
        Extent {
            size: self.size,
            root: self.root(),
        }
    }
}

/// A whole tree, to take proofs from: 64 bytes a leaf, and each proof in the time of the square of its length.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// The roots of all full trees: of 2^n leaves in `levels[n]`, from left to right.
    levels: Vec<Vec<Hash>>,
}

impl FromIterator<Hash> for Tree {
    fn from_iter<I: IntoIterator<Item = Hash>>(leaves: I) -> Self {
        let mut tree = Self::default();
        leaves.into_iter().for_each(|leaf| tree.push(leaf));
        tree
    }
}

impl Tree {
    /// Appends a leaf.
    pub fn push(&mut self, leaf: Hash) {
        let mut node = leaf;
        for height in 0.. {
            if height == self.levels.len() {
                self.levels.push(Vec::new());
            }
            let nodes = &mut self.levels[height];
            nodes.push(node);
            if !nodes.len().is_multiple_of(2) {
                return;
            }
            node = node_hash(&nodes[nodes.len() - 2], &nodes[nodes.len() - 1]);
        }
    }

    /// How many leaves there are.
    pub fn size(&self) -> u64 {
        self.leaves() as u64
    }

    /// The root over the first `size` leaves; `None` where there are fewer.
    pub fn root_at(&self, size: u64) -> Option<Hash> {
        Some(self.root_of(0..self.within(size)?))
    }

    /// Size and root over the first `size` leaves; `None` where there are fewer.
    pub fn extent_at(&self, size: u64) -> Option<Extent> {
        Some(Extent {
            size,
            root: self.root_at(size)?,
        })
    }

    /// The proof that the leaf number `index`, from 0, is one of the first `size` (RFC 9162, section 2.1.3.1); `None` where it is not.
    pub fn inclusion(&self, index: u64, size: u64) -> Option<Vec<Hash>> {
        let mut end = self.within(size)?;
        let index = usize::try_from(index).ok().filter(|index| *index < end)?;
        let mut start = 0;
        let mut proof = Vec::new();
        while end - start > 1 {
            let middle = start + left_part(end - start);
            if index < middle {
                proof.push(self.root_of(middle..end));
                end = middle;
            } else {
                proof.push(self.root_of(start..middle));
                start = middle;
            }
        }
        proof.reverse();
        Some(proof)
    }

    /// The proof that the first `size` leaves begin with the first `older` (RFC 9162, section 2.1.4.1); `None` where there are fewer.
    pub fn consistency(&self, older: u64, size: u64) -> Option<Vec<Hash>> {
        let mut end = self.within(size)?;
        let older = self.within(older).filter(|older| *older <= end)?;
        let mut proof = Vec::new();
        if older == 0 {
            return Some(proof);
        }
        let mut start = 0;
        while older != end {
            let middle = start + left_part(end - start);
            if older <= middle {
                proof.push(self.root_of(middle..end));
                end = middle;
            } else {
                proof.push(self.root_of(start..middle));
                start = middle;
            }
        }
        // From the very beginning it is the older tree itself, whose root whoever asks has.
        if start != 0 {
            proof.push(self.root_of(start..end));
        }
        proof.reverse();
        Some(proof)
    }

    fn leaves(&self) -> usize {
        self.levels.first().map_or(0, Vec::len)
    }

    fn within(&self, size: u64) -> Option<usize> {
        usize::try_from(size)
            .ok()
            .filter(|size| *size <= self.leaves())
    }

    /// The root over some leaves, the first of which is a multiple of a power of two that is not smaller than their number: then they
    /// are made up of full trees that are kept.
    fn root_of(&self, leaves: Range<usize>) -> Hash {
        let mut rest = leaves.len();
        let mut root: Option<Hash> = None;
        while rest != 0 {
            let height = rest.trailing_zeros();
            rest &= rest - 1;
            let full = &self.levels[height as usize][(leaves.start + rest) >> height];
            root = Some(root.map_or(*full, |right| node_hash(full, &right)));
        }
        root.unwrap_or_else(empty_root)
    }
}

/// How many of at least two leaves lie in the left part of a tree: the largest power of two that leaves some for the right.
fn left_part(leaves: usize) -> usize {
    1 << (leaves - 1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{hex, leaf_hash};

    const MOST: u64 = 70;

    /// The inputs and, for each number of them, the roots of the test data of Certificate Transparency (RFC 6962).
    const KNOWN: [(&str, &str); 8] = [
        (
            "",
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        ),
        (
            "\0",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        ),
        (
            "\x10",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        ),
        (
            "\x20\x21",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ),
        (
            "\x30\x31",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        ),
        (
            "\x40\x41\x42\x43",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        ),
        (
            "\x50\x51\x52\x53\x54\x55\x56\x57",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        ),
        (
            "\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ),
    ];

    fn known() -> Tree {
        KNOWN.iter().map(|(input, _)| leaf_hash(input)).collect()
    }

    fn leaf(number: u64) -> Hash {
        leaf_hash(&number.to_string())
    }

    fn tree() -> Tree {
        (0..MOST).map(leaf).collect()
    }

    /// The root as section 2.1.1 defines it, without regard to what it costs.
    fn defined(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => empty_root(),
            [only] => *only,
            _ => {
                let (left, right) = leaves.split_at(left_part(leaves.len()));
                node_hash(&defined(left), &defined(right))
            }
        }
    }

    /// The proof with one bit turned round in each of its hashes in turn.
    fn damaged(proof: &[Hash], salt: u64) -> impl Iterator<Item = Vec<Hash>> {
        (0..proof.len()).map(move |number| {
            let mut damaged = proof.to_vec();
            let bit = (salt as usize * 7 + number * 13) % 256;
            damaged[number][bit / 8] ^= 1 << (bit % 8);
            damaged
        })
    }

    fn hexes(proof: &[Hash]) -> Vec<String> {
        proof.iter().map(|hash| hex(hash)).collect()
    }

    #[test]
    fn roots_are_those_of_certificate_transparency() {
        let tree = known();
        let mut frontier = Frontier::default();
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hex(&frontier.root()), empty);
        assert_eq!(hex(&tree.root_at(0).unwrap()), empty);
        for ((input, root), size) in KNOWN.iter().zip(1..) {
            frontier.push(leaf_hash(input));
            assert_eq!(
                (frontier.size(), hex(&frontier.root())),
                (size, (*root).to_owned())
            );
            assert_eq!(hex(&tree.root_at(size).unwrap()), *root);
        }
        assert_eq!(tree.root_at(9), None);
    }

    #[test]
    fn proofs_are_those_of_certificate_transparency() {
        let tree = known();
        assert_eq!(
            hexes(&tree.inclusion(0, 8).unwrap()),
            [
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ]
        );
        assert_eq!(
            hexes(&tree.inclusion(5, 8).unwrap()),
            [
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ]
        );
        assert_eq!(
            hexes(&tree.consistency(6, 8).unwrap()),
            [
                "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ]
        );
        assert_eq!(
            hexes(&tree.consistency(2, 5).unwrap()),
            [
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            ]
        );
    }

    #[test]
    fn frontier_and_tree_have_the_root_that_is_defined() {
        let leaves: Vec<Hash> = (0..MOST).map(leaf).collect();
        let tree = tree();
        let mut frontier = Frontier::default();
        for size in 0..=MOST {
            let root = defined(&leaves[..size as usize]);
            assert_eq!(frontier.extent(), Extent { size, root });
            assert_eq!(tree.extent_at(size), Some(Extent { size, root }));
            if size < MOST {
                frontier.push(leaf(size));
            }
        }
        assert_eq!(tree.size(), MOST);
    }

    #[test]
    fn every_leaf_is_proven_to_be_in_every_tree_that_holds_it_and_in_no_other_place() {
        let tree = tree();
        let extents: Vec<Extent> = (0..=MOST).filter_map(|size| tree.extent_at(size)).collect();
        for extent in &extents {
            for index in 0..extent.size {
                let proof = tree.inclusion(index, extent.size).unwrap();
                let leaf = leaf(index);
                assert!(
                    extent.includes(index, &leaf, &proof),
                    "{index} of {}",
                    extent.size
                );

                for other in (0..=MOST).filter(|other| *other != index) {
                    assert!(!extent.includes(other, &leaf, &proof), "{index} as {other}");
                }
                for other in extents.iter().filter(|other| *other != extent) {
                    assert!(
                        !other.includes(index, &leaf, &proof),
                        "{index} of {}",
                        other.size
                    );
                }
                for damaged in damaged(&proof, index + extent.size) {
                    assert!(!extent.includes(index, &leaf, &damaged), "{index}");
                }
                let mut other_leaf = leaf;
                other_leaf[index as usize % 32] ^= 1;
                assert!(!extent.includes(index, &other_leaf, &proof));
                let longer = [proof.as_slice(), &[leaf]].concat();
                assert!(!extent.includes(index, &leaf, &longer));
                if let Some((_, shorter)) = proof.split_last() {
                    assert!(!extent.includes(index, &leaf, shorter));
                }
            }
            assert_eq!(tree.inclusion(extent.size, extent.size), None);
        }
        assert_eq!(tree.inclusion(0, MOST + 1), None);
    }

    #[test]
    fn every_tree_is_proven_to_extend_every_smaller_one_and_no_other() {
        let tree = tree();
        let extents: Vec<Extent> = (0..=MOST).filter_map(|size| tree.extent_at(size)).collect();
        for extent in &extents {
            for older in extents.iter().filter(|older| older.size <= extent.size) {
                let proof = tree.consistency(older.size, extent.size).unwrap();
                let sizes = format!("{} in {}", older.size, extent.size);
                assert!(extent.extends(older, &proof), "{sizes}");
                assert!(!extent.extends(older, &[proof.as_slice(), &[older.root]].concat()));

                let mut forked = *older;
                forked.root[extent.size as usize % 32] ^= 4;
                assert!(!extent.extends(&forked, &proof), "{sizes}");
                // An empty proof says nothing of sizes: the empty tree is in every tree, and each in itself.
                if older.size == 0 || older.size == extent.size {
                    assert_eq!(proof, [] as [Hash; 0]);
                    continue;
                }
                let mut forked = *extent;
                forked.root[older.size as usize % 32] ^= 4;
                assert!(!forked.extends(older, &proof), "{sizes}");
                for other in extents.iter().filter(|other| *other != older) {
                    assert!(!extent.extends(other, &proof), "{sizes} as {}", other.size);
                }
                for other in extents.iter().filter(|other| *other != extent) {
                    assert!(
                        !other.extends(older, &proof),
                        "{sizes} as of {}",
                        other.size
                    );
                }
                for damaged in damaged(&proof, older.size + extent.size) {
                    assert!(!extent.extends(older, &damaged), "{sizes}");
                }
                assert!(!extent.extends(older, &proof[1..]), "{sizes}");
            }
        }
        assert_eq!(tree.consistency(5, 4), None);
        assert_eq!(tree.consistency(1, MOST + 1), None);
    }
}
