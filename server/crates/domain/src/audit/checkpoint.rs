//! Checkpoints: how far every chain reached at a moment, signed, in the form of c2sp.org/tlog-checkpoint.
//!
//! ```text
//! keepsake/<instance>/system
//! <size of the system's chain>
//! <its root>
//! <agent> <size> <root>
//! time <microseconds since 1970>
//!
//! — <key's name> <signature>
//! ```
//!
//! Tools that know the form check the chain of the system; the lines of agents, in the order of their names, and the time are the
//! additions that it allows.

use std::{collections::BTreeMap, str::FromStr};

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::{Extent, Hash, NoteError, SYSTEM_CHAIN, Signer};
use crate::agent::AgentName;

/// How far every chain reached at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Whose chains they are, as [`Checkpoint::origin_of`] writes it.
    pub origin: String,
    /// When it was taken, in microseconds since 1970 in UTC.
    pub time_us: i64,
    /// The chain of the system.
    pub system: Extent,
    /// The chain of each agent, by its name.
    pub agents: BTreeMap<String, Extent>,
}

impl Checkpoint {
    /// The origin of an instance: `keepsake/<instance>/system`.
    pub fn origin_of(instance: &str) -> String {
        format!("keepsake/{instance}/{SYSTEM_CHAIN}")
    }

    /// What it says of each chain, by the chain's name.
    pub fn chains(&self) -> impl Iterator<Item = (&str, Extent)> {
        let agents = self
            .agents
            .iter()
            .map(|(name, extent)| (name.as_str(), *extent));
        std::iter::once((SYSTEM_CHAIN, self.system)).chain(agents)
    }

    /// The signed note.
    ///
    /// # Errors
    /// [`NoteError::Origin`]; [`NoteError::Agent`] where a chain, whose name comes out of the database, has one that no agent can have:
    /// with a space or the end of a line in it, what is signed would read as something else.
    pub fn sign(&self, signer: &Signer) -> Result<String, NoteError> {
        if !is_origin(&self.origin) {
            return Err(NoteError::Origin(self.origin.clone()));
        }
        if let Some(name) = self.agents.keys().find(|name| !is_agent(name)) {
            return Err(NoteError::Agent(name.clone()));
        }
        Ok(signer.note(&self.text()))
    }

    fn text(&self) -> String {
        let root = |extent: &Extent| BASE64_STANDARD.encode(extent.root);
        let mut text = format!(
            "{}\n{}\n{}\n",
            self.origin,
            self.system.size,
            root(&self.system)
        );
        for (name, extent) in &self.agents {
            text += &format!("{name} {} {}\n", extent.size, root(extent));
        }
        text += &format!("time {}\n", self.time_us);
        text
    }

    /// Reads the text of a note whose signature holds.
    pub(super) fn read(text: &str) -> Result<Self, NoteError> {
        let mut lines = text.lines();
        let origin = lines.next().ok_or(NoteError::Lacks("origin"))?;
        if !is_origin(origin) {
            return Err(NoteError::Origin(origin.to_owned()));
        }
        let size = lines.next().ok_or(NoteError::Lacks("size"))?;
        let root = lines.next().ok_or(NoteError::Lacks("root"))?;
        let system = extent(size, root)?;
        let last = lines.next_back().ok_or(NoteError::Lacks("time"))?;
        let time_us = last
            .strip_prefix("time ")
            .and_then(number)
            .ok_or_else(|| NoteError::Time(last.to_owned()))?;
        let mut agents = BTreeMap::new();
        for line in lines {
            let (name, extent) = agent(line)?;
            if agents
                .last_key_value()
                .is_some_and(|(before, _): (&String, &Extent)| before.as_str() >= name)
            {
                return Err(NoteError::Order(name.to_owned()));
            }
            agents.insert(name.to_owned(), extent);
        }
        Ok(Self {
            origin: origin.to_owned(),
            time_us,
            system,
            agents,
        })
    }
}

fn is_origin(origin: &str) -> bool {
    origin
        .strip_prefix("keepsake/")
        .and_then(|rest| rest.strip_suffix("/system"))
        .is_some_and(|instance| {
            !instance.is_empty()
                && !instance
                    .contains(|c: char| c.is_whitespace() || c.is_control() || c == '/' || c == '+')
        })
}

fn is_agent(name: &str) -> bool {
    AgentName::parse(name).is_ok()
}

fn agent(line: &str) -> Result<(&str, Extent), NoteError> {
    let mut words = line.split(' ');
    match (words.next(), words.next(), words.next(), words.next()) {
        (Some(name), Some(size), Some(root), None) if is_agent(name) => {
            Ok((name, extent(size, root)?))
        }
        _ => Err(NoteError::Agent(line.to_owned())),
    }
}

fn extent(size: &str, root: &str) -> Result<Extent, NoteError> {
    Ok(Extent {
        size: number(size).ok_or_else(|| NoteError::Size(size.to_owned()))?,
        root: hash(root).ok_or_else(|| NoteError::Root(root.to_owned()))?,
    })
}

fn hash(text: &str) -> Option<Hash> {
    BASE64_STANDARD.decode(text).ok()?.try_into().ok()
}

/// A number in the one spelling it is printed in: no plus, no zero in front.
fn number<N: FromStr + ToString>(text: &str) -> Option<N> {
    text.parse()
        .ok()
        .filter(|number: &N| number.to_string() == text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::audit::{Notes, PublicKey, tree::empty_root};

    fn signer() -> Signer {
        Signer::from_seed(&[7; 32], "keepsake/test/system").unwrap()
    }

    fn key() -> PublicKey {
        signer().public_key()
    }

    fn checkpoint() -> Checkpoint {
        Checkpoint {
            origin: Checkpoint::origin_of("test"),
            time_us: 1_750_000_000_000_000,
            system: Extent {
                size: 12,
                root: [1; 32],
            },
            agents: BTreeMap::from([
                (
                    "support".to_owned(),
                    Extent {
                        size: 10_000,
                        root: [2; 32],
                    },
                ),
                (
                    "sales".to_owned(),
                    Extent {
                        size: 0,
                        root: empty_root(),
                    },
                ),
            ]),
        }
    }

    #[test]
    fn the_text_is_that_of_a_transparency_log_with_a_line_for_each_agent() {
        let text = "keepsake/test/system\n\
            12\n\
            AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\n\
            sales 0 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\
            support 10000 AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=\n\
            time 1750000000000000\n";
        let note = checkpoint().sign(&signer()).unwrap();
        assert!(
            note.starts_with(&format!("{text}\n— keepsake/test/system ")),
            "{note}"
        );
        assert_eq!(key().open(&note), Ok(checkpoint()));
        let checkpoint = checkpoint();
        let chains: Vec<(&str, u64)> = checkpoint
            .chains()
            .map(|(name, extent)| (name, extent.size))
            .collect();
        assert_eq!(chains, [("system", 12), ("sales", 0), ("support", 10_000)]);
    }

    #[test]
    fn each_field_that_is_changed_breaks_the_signature() {
        let note = checkpoint().sign(&signer()).unwrap();
        for (from, to) in [
            ("keepsake/test", "keepsake/live"),
            ("\n12\n", "\n11\n"),
            ("AQEB", "AQEC"),
            ("sales 0", "sales 1"),
            ("47DE", "47DF"),
            ("support 10000", "support 9999"),
            ("support ", "supporter "),
            ("AgIC", "AgID"),
            (
                "support 10000 AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=\n",
                "",
            ),
            ("time 175", "time 176"),
            ("time", "\ntime"),
        ] {
            let changed = note.replacen(from, to, 1);
            assert_ne!(changed, note);
            let refused = NoteError::Signature("keepsake/test/system".into());
            assert_eq!(key().open(&changed), Err(refused), "{from} to {to}");
        }
    }

    #[test]
    fn a_note_that_another_key_signed_or_that_is_cut_is_refused() {
        let foreign = Signer::from_seed(&[8; 32], "keepsake/test/system").unwrap();
        let note = checkpoint().sign(&foreign).unwrap();
        assert_eq!(
            key().open(&note),
            Err(NoteError::Unsigned("keepsake/test/system".into()))
        );
        let note = checkpoint().sign(&signer()).unwrap();
        for (end, _) in note.char_indices() {
            assert!(key().open(&note[..end]).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn what_is_signed_but_no_checkpoint_is_refused_and_said_to_be() {
        const A: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
        let refused = |text: &str| key().open(&signer().note(text)).unwrap_err();
        let of =
            |size: &str, rest: &str| refused(&format!("keepsake/a/system\n{size}\n{A}\n{rest}"));
        assert_eq!(refused("\n"), NoteError::Origin(String::new()));
        for origin in [
            "keepsake//system",
            "keepsake/a b/system",
            "keepsake/a",
            "a/b/system",
        ] {
            assert_eq!(
                refused(&format!("{origin}\n")),
                NoteError::Origin(origin.into())
            );
        }
        assert_eq!(refused("keepsake/a/system\n"), NoteError::Lacks("size"));
        assert_eq!(refused("keepsake/a/system\n1\n"), NoteError::Lacks("root"));
        assert_eq!(of("1", ""), NoteError::Lacks("time"));
        for size in ["", "01", "+1", "-1", "1 ", "0x1", "18446744073709551616"] {
            assert_eq!(of(size, "time 1\n"), NoteError::Size(size.into()));
        }
        for root in [
            "",
            "AQEB",
            &A[..43],
            &A.replace("E=", "F="),
            &A.replace('A', "_"),
        ] {
            let text = format!("keepsake/a/system\n1\n{root}\ntime 1\n");
            assert_eq!(refused(&text), NoteError::Root(root.into()));
        }
        for time in [
            "", "time", "time ", "time 01", "time +1", "time -0", "time 1 ", "Time 1",
        ] {
            assert_eq!(of("1", &format!("{time}\n")), NoteError::Time(time.into()));
        }
        assert_eq!(
            of("1", &format!("sales 1 {A}\n")),
            NoteError::Time(format!("sales 1 {A}"))
        );
        for line in [
            String::new(),
            "time 1".to_owned(),
            "sales".to_owned(),
            "sales 1".to_owned(),
            format!("sales 1 {A} 2"),
            format!("sales  1 {A}"),
            format!("Sales 1 {A}"),
            format!("system 1 {A}"),
        ] {
            assert_eq!(
                of("1", &format!("{line}\ntime 1\n")),
                NoteError::Agent(line)
            );
        }
        assert_eq!(
            of("1", &format!("sales 01 {A}\ntime 1\n")),
            NoteError::Size("01".into())
        );
        assert_eq!(
            of("1", "sales 1 AQ==\ntime 1\n"),
            NoteError::Root("AQ==".into())
        );
        for second in ["sales", "angel"] {
            assert_eq!(
                of("1", &format!("sales 1 {A}\n{second} 1 {A}\ntime 1\n")),
                NoteError::Order(second.into())
            );
        }
    }

    #[test]
    fn what_would_read_as_something_else_is_not_signed() {
        let mut injected = checkpoint();
        injected.origin = "keepsake/a\n5/system".into();
        assert_eq!(
            injected.sign(&signer()),
            Err(NoteError::Origin(injected.origin.clone()))
        );
        for name in ["", "a b", "system", "a\nb", "Sales"] {
            let mut injected = checkpoint();
            injected.agents.insert(name.into(), injected.system);
            assert_eq!(injected.sign(&signer()), Err(NoteError::Agent(name.into())));
        }
    }

    fn extents() -> impl Strategy<Value = Extent> {
        (any::<u64>(), any::<[u8; 32]>()).prop_map(|(size, root)| Extent { size, root })
    }

    fn checkpoints() -> impl Strategy<Value = Checkpoint> {
        (
            "[a-z0-9.:-]{1,20}",
            any::<i64>(),
            extents(),
            prop::collection::btree_map("x[a-z0-9_-]{0,63}|time", extents(), 0..5),
        )
            .prop_map(|(instance, time_us, system, agents)| Checkpoint {
                origin: Checkpoint::origin_of(&instance),
                time_us,
                system,
                agents,
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_was_signed_comes_back(signed in prop::collection::vec(checkpoints(), 0..4)) {
            let notes: Vec<String> = signed.iter().map(|checkpoint| checkpoint.sign(&signer()).unwrap()).collect();
            let file = notes.concat();
            let parted = Notes::split(&file);
            prop_assert_eq!(parted.cut, None);
            let opened: Vec<Checkpoint> = parted.whole.iter().map(|note| key().open(note).unwrap()).collect();
            prop_assert_eq!(opened, signed);
        }
    }
}
