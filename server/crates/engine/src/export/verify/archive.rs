//! The zip file of a bundle, read strictly.
//!
//! A zip says twice what it holds: in a directory at its end, and before each file. Readers differ in which they believe, what they do
//! with a name that comes twice, and where they look for the directory; whoever checks a bundle must see what everybody else sees. So
//! a bundle is one plain directory at the very end, whose entries agree with what stands before the files, each name once, stored or
//! deflated. Sizes are known before anything is unpacked, and nothing is unpacked beyond them.
//!
//! The file may be changed by somebody else while it is read, which it is several times. So the hash of what a part held at first is kept,
//! and every later reading ends with an error where it held something else: what is taken in is what was checked.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom, Take},
    path::Path,
};

use domain::audit::Hash;
use flate2::{Crc, bufread::DeflateDecoder};
use sha2::{Digest, Sha256};

use super::{BundleFaultKind, Findings};
use crate::export::bundle::{Form, Part};

/// The longest directory; that of a bundle takes about 1 KiB.
const LONGEST_DIRECTORY: u64 = 64 * 1024;

/// Where the directory is, in its own record at the end (APPNOTE, section 4.3.16), and in the two that stand before it where a bundle
/// is larger than 4 GiB (4.3.14 and 4.3.15).
const END: (u32, u64) = (0x0605_4b50, 22);
const END_64: (u32, u64) = (0x0606_4b50, 56);
const LOCATOR_64: (u32, u64) = (0x0706_4b50, 20);
/// An entry of the directory, without its name (4.3.12), and what stands before a file (4.3.7).
const ENTRY: (u32, usize) = (0x0201_4b50, 46);
const BEFORE_FILE: (u32, usize) = (0x0403_4b50, 30);

/// The flags that change nothing of what is read: how hard it was deflated, sizes behind the file, names in UTF-8.
const HARMLESS_FLAGS: u16 = 0b1000_0000_1110;

/// A part of an opened bundle.
#[derive(Debug, Clone, Copy)]
struct Entry {
    deflated: bool,
    crc: u32,
    packed: u64,
    size: u64,
    /// Where its bytes begin.
    at: u64,
}

/// An opened bundle that holds exactly the parts of an export of its form.
#[derive(Debug)]
pub(in crate::export) struct Archive {
    file: File,
    form: Form,
    entries: BTreeMap<Part, Entry>,
    /// What each part held when it was first read whole.
    hashes: BTreeMap<Part, Hash>,
}

/// The bytes of a part. Reading fails where they are other or more than the directory says, or other than at first.
pub(super) type PartReader<'a> = BufReader<Checked<Packed<&'a mut File>>>;

impl Archive {
    /// Opens a bundle. `None`: it is not one, and the findings say why.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(in crate::export) fn open(path: &Path, found: &mut Findings) -> io::Result<Option<Self>> {
        let mut file = File::open(path)?;
        match directory(&mut file) {
            Ok(listed) => {
                let form = form(&listed);
                let entries = parts(form, listed, found);
                Ok(entries.map(|entries| Self {
                    file,
                    form,
                    entries,
                    hashes: BTreeMap::new(),
                }))
            }
            Err(Unreadable::Io(error)) => Err(error),
            Err(Unreadable::Malformed(detail)) => {
                found.add("", None, BundleFaultKind::Form, detail);
                Ok(None)
            }
        }
    }

    /// Which files it has.
    pub(in crate::export) fn form(&self) -> Form {
        self.form
    }

    /// The size of a part, unpacked.
    pub(in crate::export) fn size(&self, part: Part) -> u64 {
        self.entries[&part].size
    }

    /// The SHA-256 of a part, and from then on that of every reading of it.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn hash(&mut self, part: Part) -> io::Result<Hash> {
        let mut reader = self.read(part)?;
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match reader.read(&mut buffer)? {
                0 => break,
                read => hasher.update(&buffer[..read]),
            }
        }
        let hash = hasher.finalize().into();
        self.hashes.insert(part, hash);
        Ok(hash)
    }

    /// A part, from its beginning.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn read(&mut self, part: Part) -> io::Result<PartReader<'_>> {
        let entry = self.entries[&part];
        let held = self.hashes.get(&part).copied();
        let checked = unpacking(&mut self.file, entry, held)?;
        Ok(BufReader::with_capacity(64 * 1024, checked))
    }

    /// A part alone, from its beginning, for whoever reads on by themselves.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(in crate::export) fn into_part(self, part: Part) -> io::Result<Checked<Packed<File>>> {
        let held = self.hashes.get(&part).copied();
        unpacking(self.file, self.entries[&part], held)
    }
}

/// The bytes of an entry, from its beginning, compared with `held` where that is known.
fn unpacking<F: Read + Seek>(
    mut file: F,
    entry: Entry,
    held: Option<Hash>,
) -> io::Result<Checked<Packed<F>>> {
    file.seek(SeekFrom::Start(entry.at))?;
    let bytes = BufReader::new(file.take(entry.packed));
    let reader = if entry.deflated {
        Packed::Deflated(DeflateDecoder::new(bytes))
    } else {
        Packed::Stored(bytes)
    };
    Ok(Checked {
        reader,
        crc: Crc::new(),
        left: entry.size,
        expected: entry.crc,
        held: held.map(|held| (Sha256::new(), held)),
    })
}

/// The bytes of a part as they lie in the file.
#[derive(Debug)]
pub(in crate::export) enum Packed<F> {
    Stored(BufReader<Take<F>>),
    Deflated(DeflateDecoder<BufReader<Take<F>>>),
}

impl<F: Read> Read for Packed<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stored(bytes) => bytes.read(buffer),
            Self::Deflated(bytes) => bytes.read(buffer),
        }
    }
}

/// Counts and sums up what is read, and compares at its end.
#[derive(Debug)]
pub(in crate::export) struct Checked<R> {
    reader: R,
    crc: Crc,
    left: u64,
    expected: u32,
    /// What it must be once more, and the sum so far.
    held: Option<(Sha256, Hash)>,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let read = self.reader.read(buffer)?;
        let bad = |why: &str| Err(io::Error::new(io::ErrorKind::InvalidData, why));
        if read == 0 {
            let changed = self.held.as_ref().is_some_and(|(sum, held)| {
                let sum: Hash = sum.clone().finalize().into();
                sum != *held
            });
            return match (self.left, self.crc.sum() == self.expected) {
                (0, true) if changed => bad("it was changed while it was read"),
                (0, true) => Ok(0),
                (0, false) => bad("its bytes are not those that were packed"),
                _ => bad("it is shorter than the directory says"),
            };
        }
        self.left = match self.left.checked_sub(read as u64) {
            Some(left) => left,
            None => return bad("it is longer than the directory says"),
        };
        self.crc.update(&buffer[..read]);
        if let Some((sum, _)) = &mut self.held {
            sum.update(&buffer[..read]);
        }
        Ok(read)
    }
}

/// Why there is no directory to read.
enum Unreadable {
    Io(io::Error),
    Malformed(String),
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // A record should be where there is nothing: the file was cut, or is no zip.
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput => {
                malformed("it ends too early")
            }
            _ => Self::Io(error),
        }
    }
}

fn malformed(detail: &str) -> Unreadable {
    Unreadable::Malformed(format!("not a zip file as a bundle is one: {detail}"))
}

/// Everything that the directory lists, in its order.
fn directory(file: &mut File) -> Result<Vec<(String, Entry)>, Unreadable> {
    let length = file.seek(SeekFrom::End(0))?;
    let end_at = length
        .checked_sub(END.1)
        .ok_or_else(|| malformed("it is too short"))?;
    let end = record(file, end_at, END)?;
    if end.u16(20) != 0 {
        return Err(malformed("it has a comment"));
    }
    let mut count = u64::from(end.u16(10));
    let mut size = u64::from(end.u32(12));
    let mut at = u64::from(end.u32(16));
    let mut ends_at = end_at;
    if count == u64::from(u16::MAX) || size == u64::from(u32::MAX) || at == u64::from(u32::MAX) {
        let locator_at = end_at
            .checked_sub(LOCATOR_64.1)
            .ok_or_else(|| malformed("it is too short"))?;
        ends_at = locator_at
            .checked_sub(END_64.1)
            .ok_or_else(|| malformed("it is too short"))?;
        let locator = record(file, locator_at, LOCATOR_64)?;
        let end_64 = record(file, ends_at, END_64)?;
        if locator.u64(8) != ends_at {
            return Err(malformed("its directory is not at its end"));
        }
        count = end_64.u64(32);
        size = end_64.u64(40);
        at = end_64.u64(48);
    }
    if at.checked_add(size) != Some(ends_at) {
        return Err(malformed("its directory is not at its end"));
    }
    if size > LONGEST_DIRECTORY {
        return Err(malformed("its directory is longer than that of a bundle"));
    }
    let mut bytes = Bytes(vec![0; usize::try_from(size).unwrap_or_default()]);
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut bytes.0)?;
    let mut listed = Vec::new();
    let mut place = 0;
    while place < bytes.0.len() {
        listed.push(entry(file, &bytes, &mut place)?);
    }
    if listed.len() as u64 != count {
        return Err(malformed("its directory is not as long as it says"));
    }
    Ok(listed)
}

/// The entry of the directory at `place`, which moves behind it, and where its file begins.
fn entry(
    file: &mut File,
    directory: &Bytes,
    place: &mut usize,
) -> Result<(String, Entry), Unreadable> {
    let cut = || malformed("its directory is cut");
    let head = directory.part(*place, ENTRY.1).ok_or_else(cut)?;
    if head.u32(0) != ENTRY.0 {
        return Err(malformed("its directory holds something else than files"));
    }
    let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(head.u16(at)));
    let name_at = *place + ENTRY.1;
    let extra_at = name_at + name;
    *place = extra_at + extra + comment;
    let name = directory.part(name_at, name).ok_or_else(cut)?;
    let extra = directory.part(extra_at, extra).ok_or_else(cut)?;
    if *place > directory.0.len() {
        return Err(cut());
    }
    let shown = String::from_utf8_lossy(&name.0).into_owned();
    let deflated = match head.u16(10) {
        0 => false,
        8 => true,
        other => {
            return Err(malformed(&format!(
                "{shown:?} is packed in a way that is not used ({other})"
            )));
        }
    };
    if head.u16(8) & !HARMLESS_FLAGS != 0 {
        return Err(malformed(&format!("{shown:?} is encrypted or patched")));
    }
    let mut large = extra.large_numbers();
    let mut number = |at: usize| match head.u32(at) {
        u32::MAX => large
            .next()
            .ok_or_else(|| malformed(&format!("the size of {shown:?} is missing"))),
        small => Ok(u64::from(small)),
    };
    let size = number(24)?;
    let packed = number(20)?;
    let before_at = number(42)?;

    let (signature, length) = BEFORE_FILE;
    let before = record(file, before_at, (signature, length as u64))?;
    let mut name_before = vec![0; usize::from(before.u16(26))];
    file.read_exact(&mut name_before)?;
    if name_before != name.0 {
        return Err(malformed(&format!(
            "{shown:?} has another name where it begins"
        )));
    }
    let behind_head = length + name_before.len() + usize::from(before.u16(28));
    let at = before_at + behind_head as u64;
    Ok((
        shown,
        Entry {
            deflated,
            crc: head.u32(16),
            packed,
            size,
            at,
        },
    ))
}

/// What a bundle claims to be: a person's copy, and an export about an instant, are told by the file that no other has.
fn form(listed: &[(String, Entry)]) -> Form {
    let has = |part: Part| listed.iter().any(|(name, _)| name == part.name());
    if has(Part::About) {
        Form::Copy
    } else if has(Part::AsOf) {
        Form::AsOf
    } else {
        Form::Audit
    }
}

/// The parts among what is listed, when these are exactly those of an export of this form and none is too large.
fn parts(
    form: Form,
    listed: Vec<(String, Entry)>,
    found: &mut Findings,
) -> Option<BTreeMap<Part, Entry>> {
    let mut entries = BTreeMap::new();
    let mut exact = true;
    let mut fault = |file: &str, detail: String| {
        exact = false;
        found.add(file, None, BundleFaultKind::Form, detail);
    };
    for (name, entry) in listed {
        let part = Part::named(&name).filter(|part| form.files().contains(part));
        let Some(part) = part else {
            fault(&name, "no such file belongs into an export".to_owned());
            continue;
        };
        if entry.size > part.largest() {
            let detail = format!("it would unpack to {} bytes, which is too much", entry.size);
            fault(&name, detail);
        }
        if entries.insert(part, entry).is_some() {
            fault(&name, "it is there more than once".to_owned());
        }
    }
    for part in form.files() {
        if !entries.contains_key(part) {
            fault(part.name(), "it is missing".to_owned());
        }
    }
    exact.then_some(entries)
}

/// The record of this signature and length at a place of the file.
fn record(file: &mut File, at: u64, (signature, length): (u32, u64)) -> Result<Bytes, Unreadable> {
    let mut bytes = Bytes(vec![0; usize::try_from(length).unwrap_or_default()]);
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut bytes.0)?;
    if bytes.u32(0) == signature {
        Ok(bytes)
    } else {
        Err(malformed("a record of its directory is missing"))
    }
}

/// Numbers in a zip stand with their lowest byte first.
struct Bytes(Vec<u8>);

impl Bytes {
    fn part(&self, at: usize, length: usize) -> Option<Self> {
        let bytes = self.0.get(at..at.checked_add(length)?)?;
        Some(Self(bytes.to_vec()))
    }

    fn number<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.0[at..at + N]);
        bytes
    }

    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.number(at))
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.number(at))
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.number(at))
    }

    /// The numbers that are too large for their fields, out of the extra field 1 (4.5.3): size, packed size and place, as far as each
    /// does not fit.
    fn large_numbers(&self) -> impl Iterator<Item = u64> {
        let mut rest = self.0.as_slice();
        let mut numbers = Vec::new();
        while let [a, b, c, d, behind @ ..] = rest {
            let length = usize::from(u16::from_le_bytes([*c, *d]));
            let Some((field, after)) = behind.split_at_checked(length) else {
                break;
            };
            if u16::from_le_bytes([*a, *b]) == 1 {
                let (eights, _) = field.as_chunks::<8>();
                numbers.extend(eights.iter().map(|number| u64::from_le_bytes(*number)));
            }
            rest = after;
        }
        numbers.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashMap, fs, io::Cursor};

    use super::*;
    use crate::export::zip::Zip;

    /// Two texts of one length and one CRC, packed or not.
    fn twins() -> [Vec<u8>; 2] {
        let mut met = HashMap::new();
        for number in 0_u64.. {
            let text = Sha256::digest(number.to_le_bytes()).to_vec();
            let mut crc = Crc::new();
            crc.update(&text);
            if let Some(twin) = met.insert(crc.sum(), text.clone())
                && copy(&twin).len() == copy(&text).len()
            {
                return [twin, text];
            }
        }
        unreachable!("there are fewer sums than numbers")
    }

    fn copy(about: &[u8]) -> Vec<u8> {
        let mut zip = Zip::new(Cursor::new(Vec::new()));
        for part in Form::Copy.files() {
            let bytes: &[u8] = if *part == Part::About { about } else { b"{}" };
            zip.file(part.name(), bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    // E4
    #[test]
    fn what_is_read_again_is_what_was_read_at_first_or_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("export.zip");
        let [one, other] = twins();
        let (before, after) = (copy(&one), copy(&other));
        fs::write(&path, &before).unwrap();
        let mut found = Findings::default();
        let mut archive = Archive::open(&path, &mut found).unwrap().unwrap();
        assert!(found.is_empty());
        let read = |archive: &mut Archive| {
            let mut bytes = Vec::new();
            archive.read(Part::About)?.read_to_end(&mut bytes)?;
            io::Result::Ok(bytes)
        };
        let hash = archive.hash(Part::About).unwrap();
        assert_eq!(hash, <Hash>::from(Sha256::digest(&one)));
        assert_eq!(read(&mut archive).unwrap(), one);
        // In its place, so that whoever has it open reads the other one.
        fs::write(&path, &after).unwrap();
        let refused = read(&mut archive).unwrap_err();
        assert_eq!(refused.to_string(), "it was changed while it was read");
        assert!(archive.hash(Part::About).is_err());
    }
}
