//! The file of an export as an answer: whole, or the part that was asked for (RFC 9110, section 14), so that a download of hours goes on
//! where it broke off. And one of the files in it by its name, unpacked.

use std::io::{self, Read};

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{id::ExportId, permission::Permit};
use engine::{Engine, EngineError, ExportedFile, ExportedPart, Fetched};
use futures::stream::try_unfold;
use tokio::{
    fs::File,
    io::{AsyncReadExt, AsyncSeekExt, SeekFrom},
    task::spawn_blocking,
};

use crate::{page_error::PageError, problem::Problem};

/// Bytes of one look into the file.
const CHUNK: u64 = 64 * 1024;

/// Why there is no file, or no such part of it.
#[derive(Debug)]
pub enum NoFile {
    /// The engine said no.
    Engine(EngineError),
    /// The part begins behind the end of a file of this size.
    Range(u64),
    /// No file of that name is in it.
    Part,
}

impl From<EngineError> for NoFile {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl From<NoFile> for Problem {
    fn from(refused: NoFile) -> Self {
        match refused {
            NoFile::Engine(error) => error.into(),
            NoFile::Range(bytes) => {
                let detail = format!("The file has {bytes} bytes.");
                let range = HeaderValue::from_str(&format!("bytes */{bytes}"));
                let status = StatusCode::RANGE_NOT_SATISFIABLE;
                let problem = Self::new(status, "range_not_satisfiable", detail);
                match range {
                    Ok(range) => problem.with(header::CONTENT_RANGE, range),
                    Err(_) => problem,
                }
            }
            NoFile::Part => {
                let detail = "This export holds no file of that name. ?part=SHA256SUMS lists those that it holds.";
                Self::new(StatusCode::NOT_FOUND, "no_such_part", detail)
            }
        }
    }
}

impl From<NoFile> for PageError {
    fn from(refused: NoFile) -> Self {
        match refused {
            NoFile::Engine(error) => error.into(),
            NoFile::Range(_) => Self::of_status(StatusCode::RANGE_NOT_SATISFIABLE),
            NoFile::Part => Self::of_status(StatusCode::NOT_FOUND),
        }
    }
}

/// What is wanted of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Nothing: it is the one that the caller has.
    Nothing,
    /// All of it.
    Whole,
    /// From one byte to another, both included.
    Part(u64, u64),
    /// A part that it does not have.
    Beyond,
}

/// Answers with the file of an export. It is told in the audit before the first byte goes out, but for what goes on with a download that
/// was told of: whoever asks for all but the first byte has as good as all of it.
///
/// # Errors
/// There is no file, or no such part of it.
pub async fn fetch(
    engine: &Engine,
    permit: &Permit,
    id: &ExportId,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Response, NoFile> {
    let exported = engine.export_file(permit, id).await?;
    let etag = format!("\"{}\"", exported.sha256);
    let wanted = wanted(headers, exported.bytes, &etag);
    let (first, last) = match wanted {
        Wanted::Nothing => {
            let headers = [(header::ETAG, etag)];
            return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
        }
        Wanted::Beyond => return Err(NoFile::Range(exported.bytes)),
        Wanted::Whole => (0, exported.bytes.saturating_sub(1)),
        Wanted::Part(first, last) => (first, last),
    };
    let mut file = File::open(&exported.path).await.map_err(unreadable)?;
    file.seek(SeekFrom::Start(first))
        .await
        .map_err(unreadable)?;
    let length = if exported.bytes == 0 {
        0
    } else {
        last - first + 1
    };
    if method != Method::HEAD {
        let fetched = if first == 0 {
            Fetched::Whole
        } else {
            Fetched::Rest
        };
        engine.note_download(permit, id, fetched).await?;
    }
    let mut response = Body::from_stream(try_unfold((file, length), next)).into_response();
    if let Wanted::Part(..) = wanted {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        let range = format!("bytes {first}-{last}/{}", exported.bytes);
        put(&mut response, header::CONTENT_RANGE, &range);
    }
    describe(&mut response, &exported, &etag, length);
    Ok(response)
}

/// Answers with one of the files in the file of an export, which is told in the audit each time.
///
/// # Errors
/// There is no file, or none of that name in it.
pub async fn fetch_part(
    engine: &Engine,
    permit: &Permit,
    id: &ExportId,
    name: String,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Response, NoFile> {
    let exported = engine.export_file(permit, id).await?;
    let (whole, sum) = (exported.name.clone(), exported.sha256.clone());
    let part = spawn_blocking(move || exported.part(&name))
        .await
        .map_err(io::Error::other)
        .flatten()
        .map_err(unreadable)?
        .ok_or(NoFile::Part)?;
    let etag = format!("\"{sum}.{}\"", part.name);
    if has_it(headers, &etag) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, etag)]).into_response());
    }
    if method != Method::HEAD {
        let fetched = Fetched::Part(part.name);
        engine.note_download(permit, id, fetched).await?;
    }
    let (name, bytes) = (part.name, part.bytes);
    let saved = format!("{}-{name}", whole.trim_end_matches(".zip"));
    let mut response = Body::from_stream(try_unfold(part, unpacked)).into_response();
    let disposition = format!("attachment; filename=\"{saved}\"");
    put(&mut response, header::CONTENT_TYPE, content_type(name));
    put(&mut response, header::CONTENT_LENGTH, &bytes.to_string());
    put(&mut response, header::CONTENT_DISPOSITION, &disposition);
    put(&mut response, header::ACCEPT_RANGES, "none");
    put(&mut response, header::ETAG, &etag);
    // Packed on the way, it would be another text under the same ETag.
    put(&mut response, header::CONTENT_ENCODING, "identity");
    Ok(response)
}

/// What a file in an export is, by its name.
fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("ndjson") => "application/x-ndjson",
        Some("json") => "application/json",
        Some("csv") => "text/csv; charset=utf-8",
        Some("html") => "text/html; charset=utf-8",
        Some("md") => "text/markdown; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    }
}

/// The next bytes of a file in an export. To unpack them takes a while, which no other answer waits for.
async fn unpacked(mut part: ExportedPart) -> io::Result<Option<(Bytes, ExportedPart)>> {
    let read = spawn_blocking(move || {
        let mut bytes = Vec::new();
        part.by_ref().take(CHUNK).read_to_end(&mut bytes)?;
        Ok::<_, io::Error>((bytes, part))
    });
    let (bytes, part) = read.await.map_err(io::Error::other).flatten()?;
    Ok((!bytes.is_empty()).then(|| (bytes.into(), part)))
}

fn describe(response: &mut Response, exported: &ExportedFile, etag: &str, length: u64) {
    let disposition = format!("attachment; filename=\"{}\"", exported.name);
    put(response, header::CONTENT_TYPE, "application/zip");
    put(response, header::CONTENT_LENGTH, &length.to_string());
    put(response, header::CONTENT_DISPOSITION, &disposition);
    put(response, header::ACCEPT_RANGES, "bytes");
    put(response, header::ETAG, etag);
    // Packed already; packed once more it would have another length, and no parts.
    put(response, header::CONTENT_ENCODING, "identity");
}

fn put(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

fn unreadable(error: io::Error) -> NoFile {
    if error.kind() == io::ErrorKind::NotFound {
        return NoFile::Engine(EngineError::ExportElsewhere);
    }
    NoFile::Engine(EngineError::Internal(Box::new(error)))
}

async fn next((mut file, left): (File, u64)) -> io::Result<Option<(Bytes, (File, u64))>> {
    if left == 0 {
        return Ok(None);
    }
    let size = usize::try_from(left.min(CHUNK)).unwrap_or_default();
    let mut bytes = vec![0; size];
    let read = file.read(&mut bytes).await?;
    if read == 0 {
        // It was cut meanwhile; an answer that ended here would look whole.
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    bytes.truncate(read);
    Ok(Some((bytes.into(), (file, left - read as u64))))
}

/// Whether the caller says that they have this one.
fn has_it(headers: &HeaderMap, etag: &str) -> bool {
    let value = headers.get(header::IF_NONE_MATCH);
    let list = value.and_then(|value| value.to_str().ok());
    list.unwrap_or_default()
        .split(',')
        .map(|one| one.trim().trim_start_matches("W/"))
        .any(|one| one == etag || one == "*")
}

/// What the headers of a request ask for. Several parts at once are not given; then the whole is.
fn wanted(headers: &HeaderMap, bytes: u64, etag: &str) -> Wanted {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if has_it(headers, etag) {
        return Wanted::Nothing;
    }
    // The part of another file would not fit what the caller has of that one.
    if text(header::IF_RANGE).is_some_and(|of| of.trim() != etag) {
        return Wanted::Whole;
    }
    let Some(range) = text(header::RANGE) else {
        return Wanted::Whole;
    };
    let Some((first, last)) = range
        .trim()
        .strip_prefix("bytes=")
        .and_then(|range| range.split_once('-'))
    else {
        return Wanted::Whole;
    };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let end = bytes.saturating_sub(1);
    match (first.trim().is_empty(), last.trim().is_empty()) {
        (true, true) => Wanted::Whole,
        (true, false) => match number(last) {
            None => Wanted::Whole,
            Some(0) => Wanted::Beyond,
            Some(_) if bytes == 0 => Wanted::Beyond,
            Some(count) => Wanted::Part(bytes.saturating_sub(count), end),
        },
        (false, open) => match (number(first), number(last)) {
            (None, _) | (Some(_), None) if !open => Wanted::Whole,
            (None, _) => Wanted::Whole,
            (Some(first), _) if first >= bytes => Wanted::Beyond,
            (Some(first), None) => Wanted::Part(first, end),
            (Some(first), Some(last)) if first <= last => Wanted::Part(first, last.min(end)),
            (Some(_), Some(_)) => Wanted::Whole,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(pairs: &[(HeaderName, &str)]) -> Wanted {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(name.clone(), HeaderValue::from_str(value).unwrap());
        }
        wanted(&headers, 100, "\"sum\"")
    }

    #[test]
    fn a_part_of_a_file_is_what_the_header_says() {
        for (range, expected) in [
            ("bytes=0-9", Wanted::Part(0, 9)),
            ("bytes=90-", Wanted::Part(90, 99)),
            ("bytes=-5", Wanted::Part(95, 99)),
            ("bytes=-500", Wanted::Part(0, 99)),
            ("bytes=50-900", Wanted::Part(50, 99)),
            ("bytes=100-", Wanted::Beyond),
            ("bytes=-0", Wanted::Beyond),
            ("bytes=9-3", Wanted::Whole),
            ("bytes=0-1, 4-5", Wanted::Whole),
            ("bytes=-", Wanted::Whole),
            ("bytes=a-b", Wanted::Whole),
            ("lines=1-2", Wanted::Whole),
        ] {
            assert_eq!(asked(&[(header::RANGE, range)]), expected, "{range}");
        }
        assert_eq!(asked(&[]), Wanted::Whole);
    }

    #[test]
    fn a_part_of_another_file_is_never_mixed_in() {
        let range = (header::RANGE, "bytes=5-");
        let same = [range.clone(), (header::IF_RANGE, "\"sum\"")];
        assert_eq!(asked(&same), Wanted::Part(5, 99));
        let other = [range, (header::IF_RANGE, "\"other\"")];
        assert_eq!(asked(&other), Wanted::Whole);
        assert_eq!(
            asked(&[(header::IF_NONE_MATCH, "\"other\", W/\"sum\"")]),
            Wanted::Nothing
        );
    }
}
