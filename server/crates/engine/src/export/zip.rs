//! Writing a zip (APPNOTE 6.3.10) of which every byte follows from what is in it: no time, no owner, one way of packing. Each file goes
//! in as it is made, with its sums; what stands before it is filled in when its size is known. The field for sizes above 4 GiB stands
//! before every file, because nobody knows yet, and in the directory where it is needed.

use std::io::{self, Read, Seek, SeekFrom, Write};

use domain::audit::Hash;
use flate2::{Compression, Crc, write::DeflateEncoder};
use sha2::{Digest, Sha256};

/// Signatures of the records: before a file, in the directory, and at the end.
const BEFORE_FILE: u32 = 0x0403_4b50;
const ENTRY: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;
/// The version of the format that knows sizes above 4 GiB.
const VERSION: u16 = 45;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;
const DEFLATED: u16 = 8;
/// 1 January 1980, 00:00: the earliest that can be written.
const DATE: u16 = (1 << 5) | 1;
/// The extra field of sizes above 4 GiB.
const LARGE: u16 = 1;
/// Packed bytes that are gathered before they are written.
const GATHERED: usize = 64 * 1024;

/// A file in the zip.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    name: &'static str,
    /// Its SHA-256.
    pub sha256: Hash,
    crc: u32,
    packed: u64,
    size: u64,
    at: u64,
}

/// A zip that is being written.
pub(super) struct Zip<W> {
    out: W,
    /// Where the next file begins.
    at: u64,
    entries: Vec<Entry>,
    open: Option<Open>,
}

/// The file that is being written.
struct Open {
    name: &'static str,
    at: u64,
    encoder: DeflateEncoder<Vec<u8>>,
    packed: u64,
    crc: Crc,
    sha256: Sha256,
    size: u64,
}

impl<W: Write + Seek> Zip<W> {
    /// Begins at the beginning of `out`.
    pub fn new(out: W) -> Self {
        Self {
            out,
            at: 0,
            entries: Vec::new(),
            open: None,
        }
    }

    /// Begins a file; the one before is whole.
    pub fn begin(&mut self, name: &'static str) -> io::Result<()> {
        self.end()?;
        let before = before_file(name, 0, 0, 0);
        self.out.write_all(&before)?;
        self.open = Some(Open {
            name,
            at: self.at,
            encoder: DeflateEncoder::new(Vec::new(), Compression::default()),
            packed: 0,
            crc: Crc::new(),
            sha256: Sha256::new(),
            size: 0,
        });
        self.at += before.len() as u64;
        Ok(())
    }

    /// Adds to the file that was begun.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let open = self.open.as_mut().ok_or_else(nothing_open)?;
        open.crc.update(bytes);
        open.sha256.update(bytes);
        open.size += bytes.len() as u64;
        open.encoder.write_all(bytes)?;
        let packed = open.encoder.get_mut();
        if packed.len() >= GATHERED {
            self.out.write_all(packed)?;
            open.packed += packed.len() as u64;
            packed.clear();
        }
        Ok(())
    }

    /// A whole file.
    pub fn file(&mut self, name: &'static str, bytes: &[u8]) -> io::Result<()> {
        self.begin(name)?;
        self.write(bytes)?;
        self.end()
    }

    /// Ends the file that was begun, where there is one.
    pub fn end(&mut self) -> io::Result<()> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let rest = open.encoder.finish()?;
        self.out.write_all(&rest)?;
        let packed = open.packed + rest.len() as u64;
        let crc = open.crc.sum();
        self.at += packed;
        self.out.seek(SeekFrom::Start(open.at))?;
        self.out
            .write_all(&before_file(open.name, crc, packed, open.size))?;
        self.out.seek(SeekFrom::Start(self.at))?;
        self.entries.push(Entry {
            name: open.name,
            sha256: open.sha256.finalize().into(),
            crc,
            packed,
            size: open.size,
            at: open.at,
        });
        Ok(())
    }

    /// The files so far, in their order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What was written, without a directory: to be taken over by another.
    pub fn into_body(mut self) -> io::Result<(W, Vec<Entry>)> {
        self.end()?;
        self.out.flush()?;
        Ok((self.out, self.entries))
    }

    /// Takes over the files of another zip without packing them anew.
    pub fn take_over(&mut self, body: &mut impl Read, entries: &[Entry]) -> io::Result<()> {
        self.end()?;
        let begins = self.at;
        self.at += io::copy(body, &mut self.out)?;
        self.entries.extend(entries.iter().map(|entry| Entry {
            at: begins + entry.at,
            ..entry.clone()
        }));
        Ok(())
    }

    /// Writes the directory.
    pub fn finish(mut self) -> io::Result<W> {
        self.end()?;
        let mut directory = Vec::new();
        for entry in &self.entries {
            directory.extend(entry_of(entry));
        }
        let (count, size) = (self.entries.len() as u64, directory.len() as u64);
        directory.extend(end_of(count, size, self.at));
        self.out.write_all(&directory)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

fn nothing_open() -> io::Error {
    io::Error::other("no file of the zip was begun")
}

/// What stands before a file: always of the same length for a name.
fn before_file(name: &str, crc: u32, packed: u64, size: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(50 + name.len());
    bytes.extend(BEFORE_FILE.to_le_bytes());
    for number in [VERSION, FLAGS, DEFLATED, 0, DATE] {
        bytes.extend(number.to_le_bytes());
    }
    for number in [crc, u32::MAX, u32::MAX] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(short(name.len()).to_le_bytes());
    bytes.extend(20_u16.to_le_bytes());
    bytes.extend(name.as_bytes());
    bytes.extend(LARGE.to_le_bytes());
    bytes.extend(16_u16.to_le_bytes());
    bytes.extend(size.to_le_bytes());
    bytes.extend(packed.to_le_bytes());
    bytes
}

/// The entry of a file in the directory.
fn entry_of(entry: &Entry) -> Vec<u8> {
    let mut large = Vec::new();
    let mut number = |number: u64| match u32::try_from(number) {
        Ok(small) if small != u32::MAX => small,
        _ => {
            large.extend(number.to_le_bytes());
            u32::MAX
        }
    };
    let (size, packed, at) = (number(entry.size), number(entry.packed), number(entry.at));
    let mut extra = Vec::new();
    if !large.is_empty() {
        extra.extend(LARGE.to_le_bytes());
        extra.extend(short(large.len()).to_le_bytes());
        extra.extend(large);
    }
    let mut bytes = Vec::new();
    bytes.extend(ENTRY.to_le_bytes());
    for number in [VERSION, VERSION, FLAGS, DEFLATED, 0, DATE] {
        bytes.extend(number.to_le_bytes());
    }
    for number in [entry.crc, packed, size] {
        bytes.extend(number.to_le_bytes());
    }
    let (name, extra_length) = (short(entry.name.len()), short(extra.len()));
    // Name, extra field, comment, disk, attributes within.
    for number in [name, extra_length, 0, 0, 0] {
        bytes.extend(number.to_le_bytes());
    }
    // Attributes without, and where it begins.
    for number in [0, at] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(entry.name.as_bytes());
    bytes.extend(extra);
    bytes
}

/// The records at the end, of a directory of `count` files and `size` bytes that begins at `at`.
fn end_of(count: u64, size: u64, at: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let place = u32::try_from(at).ok().filter(|&at| at != u32::MAX);
    if place.is_none() {
        bytes.extend(END_64.to_le_bytes());
        bytes.extend(44_u64.to_le_bytes());
        for number in [VERSION, VERSION] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend([0; 8]);
        for number in [count, count, size, at] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(LOCATOR_64.to_le_bytes());
        bytes.extend(0_u32.to_le_bytes());
        bytes.extend((at + size).to_le_bytes());
        bytes.extend(1_u32.to_le_bytes());
    }
    bytes.extend(END.to_le_bytes());
    let files = u16::try_from(count).unwrap_or(u16::MAX);
    for number in [0, 0, files, files] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(place.unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(0_u16.to_le_bytes());
    bytes
}

/// Names and fields of ours are short.
fn short(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use flate2::read::DeflateDecoder;

    use super::*;

    fn zip(texts: &[(&'static str, &str)]) -> Vec<u8> {
        let mut body = Zip::new(Cursor::new(Vec::new()));
        for &(name, text) in &texts[1..] {
            body.begin(name).unwrap();
            for piece in text.as_bytes().chunks(1000) {
                body.write(piece).unwrap();
            }
        }
        let (body, entries) = body.into_body().unwrap();
        let mut zip = Zip::new(Cursor::new(Vec::new()));
        zip.file(texts[0].0, texts[0].1.as_bytes()).unwrap();
        zip.take_over(&mut body.into_inner().as_slice(), &entries)
            .unwrap();
        zip.finish().unwrap().into_inner()
    }

    fn number(bytes: &[u8], at: usize, length: usize) -> usize {
        let part = bytes[at..at + length].iter().rev();
        part.fold(0, |sum, byte| (sum << 8) | usize::from(*byte))
    }

    /// Reads it as the directory says; answers names and texts.
    fn read(zip: &[u8]) -> Vec<(String, String)> {
        let end = zip.len() - 22;
        assert_eq!(number(zip, end, 4), END as usize);
        let (count, mut at) = (number(zip, end + 10, 2), number(zip, end + 16, 4));
        assert_eq!(at + number(zip, end + 12, 4), end);
        let mut found = Vec::new();
        for _ in 0..count {
            assert_eq!(number(zip, at, 4), ENTRY as usize);
            let (packed, size) = (number(zip, at + 20, 4), number(zip, at + 24, 4));
            let (name, extra) = (number(zip, at + 28, 2), number(zip, at + 30, 2));
            let before = number(zip, at + 42, 4);
            let shown = std::str::from_utf8(&zip[at + 46..at + 46 + name]).unwrap();
            assert_eq!(number(zip, before, 4), BEFORE_FILE as usize);
            assert_eq!(number(zip, before + 14, 4), number(zip, at + 16, 4));
            let large = before + 30 + name;
            assert_eq!(number(zip, large + 4, 8), size);
            assert_eq!(number(zip, large + 12, 8), packed);
            let begins = large + 20;
            let mut text = String::new();
            DeflateDecoder::new(&zip[begins..begins + packed])
                .read_to_string(&mut text)
                .unwrap();
            assert_eq!(text.len(), size);
            found.push((shown.to_owned(), text));
            at += 46 + name + extra;
        }
        found
    }

    #[test]
    fn what_goes_in_comes_out_in_its_order_and_the_same_gives_the_same_bytes() {
        let long = "Ana lives in Oslo. ".repeat(20_000);
        let texts = [
            ("manifest.json", "{}"),
            ("events.ndjson", long.as_str()),
            ("empty", ""),
            ("report.html", "記憶"),
        ];
        let bytes = zip(&texts);
        let owned = texts.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(read(&bytes), owned);
        assert_eq!(zip(&texts), bytes);
    }

    #[test]
    fn sizes_above_four_gib_stand_in_fields_of_their_own() {
        let entry = Entry {
            name: "events.ndjson",
            sha256: [0; 32],
            crc: 7,
            packed: 5,
            size: 1 << 33,
            at: 1 << 34,
        };
        let bytes = entry_of(&entry);
        assert_eq!(number(&bytes, 24, 4), u32::MAX as usize);
        assert_eq!(number(&bytes, 20, 4), 5);
        assert_eq!(number(&bytes, 30, 2), 20);
        let extra = 46 + entry.name.len();
        assert_eq!(number(&bytes, extra, 2), 1);
        assert_eq!(number(&bytes, extra + 4, 8), 1 << 33);
        assert_eq!(number(&bytes, extra + 12, 8), 1 << 34);
        let end = end_of(16, 1000, 1 << 34);
        assert_eq!(end.len(), 56 + 20 + 22);
        assert_eq!(number(&end, 48, 8), 1 << 34);
        assert_eq!(number(&end, 56 + 8, 8), (1 << 34) + 1000);
    }
}
