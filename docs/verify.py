#!/usr/bin/env python3
"""Checks exports of Keepsake: python3 verify.py [--key PUBKEY] [--json] BUNDLE...

It needs Python 3.9 and nothing else: no network, no Keepsake, no package. EXPORTS.md, beside it, says what a bundle holds and what is
checked; the numbers in the comments below are those of its list. Exit codes: 0, nothing is wrong; 1, something is; 2, usage.

Of a person's copy, which carries neither a chain nor a signature, only form and sums can be checked.

The files of lines may be large, so they are read line by line. What is kept of a line is a hash or a number.
"""

import argparse
import base64
import binascii
import hashlib
import io
import json
import os
import re
import struct
import sys
import unicodedata
import zipfile
import zlib
from datetime import date

FORMAT = "keepsake-export/1"

# ------------------------------------------------------------------------------------------------------------------- files and limits

LINE_FILES = [
    "events.ndjson",
    "users.ndjson",
    "conversations.ndjson",
    "candidates.ndjson",
    "decisions.ndjson",
    "remarks.ndjson",
    "memories.ndjson",
    "servings.ndjson",
]
# By the form of an export: an auditor's, one of these that is about an instant, a person's copy.
COUNTED = {"audit": LINE_FILES, "as_of": LINE_FILES + ["as-of.ndjson"]}
TOLD = ["events.csv", "report.html", "proofs.json", "checkpoint.txt", "pubkey.txt", "VERIFY.md"]
SUMMED = {form: ["manifest.json"] + files + TOLD for form, files in COUNTED.items()}
FILES = {form: files + ["SHA256SUMS", "SIGNATURE"] for form, files in SUMMED.items()}
SUMMED["copy"] = ["conversations.ndjson", "about-you.json", "about-you.html", "README.txt"]
FILES["copy"] = SUMMED["copy"] + ["SHA256SUMS"]

# The most bytes that a file may unpack to, so that a small zip cannot fill a disk or the memory.
LARGEST = {
    "pubkey.txt": 4 << 10,
    "SHA256SUMS": 64 << 10,
    "SIGNATURE": 64 << 10,
    "VERIFY.md": 1 << 20,
    "README.txt": 1 << 20,
    "manifest.json": 16 << 20,
    "checkpoint.txt": 16 << 20,
    "proofs.json": 256 << 20,
}
LARGEST_OF_LINES = 64 << 30
LONGEST_LINE = 16 << 20
MOST_LINES = 20_000_000

# The faults that are listed; what is beyond is counted.
LISTED = 100


class Findings:
    """What is wrong, each with its place."""

    def __init__(self):
        self.count = 0
        self.faults = []

    def add(self, file, line, kind, detail):
        self.count += 1
        if len(self.faults) < LISTED:
            self.faults.append({"file": file, "line": line, "kind": kind, "detail": str(detail)})


# ------------------------------------------------------------------------------------------------------------------------------- JSON


def read_json(text):
    """JSON as RFC 8259 has it, without what Python adds (NaN) or leaves to chance (names that come twice)."""

    def fraction(digits):
        value = float(digits)
        if value in (float("inf"), float("-inf")):
            raise ValueError("a number is too large")
        return value

    def integer(digits):
        # What does not fit into 64 bits is read as a fraction, and a negative zero only exists as one.
        if digits == "-0" or len(digits) > 20:
            return fraction(digits)
        value = int(digits)
        return value if -(1 << 63) <= value < 1 << 64 else float(value)

    def no_constant(word):
        raise ValueError(word + " is not JSON")

    def each_once(pairs):
        names = dict(pairs)
        if len(names) != len(pairs):
            raise ValueError("a name comes twice")
        return names

    value = json.loads(
        text,
        parse_float=fraction,
        parse_int=integer,
        parse_constant=no_constant,
        object_pairs_hook=each_once,
    )
    if text.count("{") + text.count("[") > 127 and depth(value) > 127:
        raise ValueError("it is nested too deep")
    return value


def depth(value):
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


def canonical(value):
    """The one spelling of a value that RFC 8785 defines."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, dict):
        # Names are sorted by their UTF-16 units.
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        pairs = (json.dumps(name, ensure_ascii=False) + ":" + canonical(value[name]) for name in names)
        return "{" + ",".join(pairs) + "}"
    return number(value)


def number(value):
    """A number as ECMAScript prints it: every number is a double there."""
    if isinstance(value, int) and abs(value) <= 1 << 53:
        return str(value)
    value = float(value)
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, part = mantissa.partition(".")
    digits = whole + part
    # The value is 0.<digits> times ten to the power of `point`.
    point = len(whole) + int(exponent or 0)
    point -= len(digits) - len(digits.lstrip("0"))
    digits = digits.strip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    rest = "." + digits[1:] if len(digits) > 1 else ""
    return "{}{}{}e{:+d}".format(sign, digits[0], rest, point - 1)


# ------------------------------------------------------------------------------------------------------------------- the form of lines
#
# A form is a function that raises ValueError where a value is not of it.


def need(holds, what):
    if not holds:
        raise ValueError("not " + what)


def anything(value):
    pass


def text(value):
    need(isinstance(value, str), "a string")


def truth(value):
    need(isinstance(value, bool), "true or false")


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def integer(value):
    need(is_integer(value) and -(1 << 63) <= value < 1 << 63, "an integer")


def count(value):
    need(is_integer(value) and 0 <= value < 1 << 64, "a count")


def fraction(value):
    need(is_integer(value) or isinstance(value, float), "a number")


def shaped(pattern, what):
    shape = re.compile(pattern)
    return lambda value: need(isinstance(value, str) and shape.fullmatch(value), what)


def ident(prefix):
    return shaped(prefix + "_[0-9a-hjkmnp-tv-z]{26}", "an id that begins with " + prefix + "_")


AGENT = re.compile("[a-z0-9][a-z0-9_-]{0,63}")
TIME = re.compile(
    "([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.]([0-9]{3}|[0-9]{6}|[0-9]{9}))?Z"
)


def is_agent(value):
    return isinstance(value, str) and value != "system" and AGENT.fullmatch(value) is not None


def agent(value):
    need(is_agent(value), "the name of an agent")


def microseconds(value):
    """Microseconds since 1970 of a time in RFC 3339, in UTC, with as many digits as it needs. ValueError: it is none."""
    parts = TIME.fullmatch(value) if isinstance(value, str) else None
    need(parts, "a time")
    year, month, day, hour, minute, second = (int(part) for part in parts.groups()[:6])
    part = parts[7] or ""
    need(not part.endswith("000"), "a time with as many digits as it needs")
    need(hour < 24 and minute < 60 and second <= 60, "a time of day")
    days = date(year, month, day).toordinal() - date(1970, 1, 1).toordinal()
    seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
    return seconds * 1_000_000 + int((part + "000000")[:6])


def time(value):
    microseconds(value)


def maybe(form):
    return lambda value: value is None or form(value)


def listed(form):
    def check(value):
        need(isinstance(value, list), "a list")
        for item in value:
            form(item)

    return check


def named(form):
    def check(value):
        need(isinstance(value, dict), "an object")
        for item in value.values():
            form(item)

    return check


def record(optional=(), **fields):
    def check(value):
        need(isinstance(value, dict), "an object")
        for name in value:
            need(name in fields, "a name that belongs here: " + name)
        for name, form in fields.items():
            if name in value or name not in optional:
                need(name in value, "without " + name)
                form(value[name])

    return check


hash_hex = shaped("[0-9a-f]{64}", "64 digits of lower-case hex")
user, candidate, memory = ident("usr"), ident("cand"), ident("mem")
conversation, decision, serving, person = ident("conv"), ident("dec"), ident("srv"), ident("per")
proof = record(salt=hash_hex, committed=text)
decider = record(type=text, id=maybe(person), name=maybe(text), policy=maybe(text))

MANIFEST = record(
    format=text,
    software=text,
    instance=text,
    made_at=time,
    sort=shaped("audit", "audit"),
    filter=record(
        optional=["as_of"],
        **{
            "agent": maybe(agent),
            "user": maybe(user),
            "named": maybe(named(text)),
            "from": maybe(time),
            "to": maybe(time),
            "as_of": time,
        }
    ),
    counts=named(count),
    chains=named(record(size=count, root=hash_hex, events=count)),
)
PROOFS = record(chains=named(record(size=count, root=hash_hex, hashes=listed(hash_hex))))
LINES = {
    "events.ndjson": record(
        optional=["commitment"],
        v=count,
        agent=text,
        seq=integer,
        prev_hash=hash_hex,
        at_us=integer,
        type=text,
        actor=record(type=text, id=maybe(text)),
        user=maybe(text),
        subject=text,
        data=named(anything),
        commitment=hash_hex,
    ),
    "users.ndjson": record(
        agent=agent,
        id=user,
        user_id=maybe(text),
        scope=maybe(named(text)),
        created_at=time,
        erased_at=maybe(time),
    ),
    "conversations.ndjson": record(agent=agent, id=conversation, user=user, at=time, text=anything, proof=proof),
    "candidates.ndjson": record(
        agent=agent,
        id=candidate,
        user=user,
        action=text,
        status=text,
        reason=maybe(text),
        version=integer,
        confidence=fraction,
        importance=fraction,
        flags=listed(text),
        targets=listed(record(memory=memory, revision=integer, absorbed=truth)),
        extraction=maybe(ident("ext")),
        cause=maybe(text),
        superseded_by=maybe(candidate),
        created_at=time,
        expires_at=time,
        text=anything,
        proof=proof,
    ),
    "decisions.ndjson": record(
        agent=agent,
        id=decision,
        candidate=candidate,
        user=user,
        version=integer,
        verdict=text,
        reason=maybe(text),
        by=decider,
        agreed_by=maybe(person),
        memory=maybe(memory),
        superseded_by=maybe(candidate),
        at=time,
        text=anything,
        proof=maybe(proof),
    ),
    "remarks.ndjson": record(
        agent=agent, candidate=candidate, user=user, occasion=text, by=decider, at=time, text=anything, proof=proof
    ),
    "memories.ndjson": record(
        agent=agent,
        id=memory,
        revision=integer,
        revision_id=ident("rev"),
        user=user,
        action=text,
        by=decider,
        confidence=fraction,
        importance=fraction,
        conversation=maybe(conversation),
        said_at=time,
        candidate=maybe(candidate),
        decision=maybe(decision),
        expires_at=maybe(time),
        at=time,
        text=anything,
        proof=proof,
    ),
    "servings.ndjson": record(
        agent=agent,
        id=serving,
        user=user,
        at=time,
        conversation=maybe(text),
        tokens=integer,
        cut=integer,
        items=listed(record(memory=memory, revision=integer)),
        batch=maybe(serving),
    ),
    "as-of.ndjson": record(
        agent=agent,
        user=user,
        what=shaped("memory|candidate|serving", "memory, candidate or serving"),
        id=text,
        revision=maybe(integer),
        at=time,
        until=maybe(time),
    ),
}

# What a value can fail with on the way from bytes to its form.
NOT_OF_FORM = (ValueError, RecursionError, OverflowError)


def read_line(raw, form):
    """What a line says, and the line without its end. ValueError: it is not canonical JSON of this form."""
    need(raw.endswith(b"\n"), "ended with a line feed")
    line = raw[:-1].decode("utf-8")
    value = read_json(line)
    form(value)
    need(canonical(value) == line, "canonical JSON")
    return value, line


# ---------------------------------------------------------------------------------------------------------------- Ed25519 (RFC 8032)

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)

# A point is (X, Y, Z, T) with x = X/Z, y = Y/Z and x * y = T/Z (section 5.1.4).
NEUTRAL = (0, 1, 1, 0)


def add(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(factor, point):
    sum_so_far = NEUTRAL
    while factor:
        if factor & 1:
            sum_so_far = add(sum_so_far, point)
        point = add(point, point)
        factor >>= 1
    return sum_so_far


def same(one, other):
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (one[1] * other[2] - other[1] * one[2]) % P == 0


def point_of(encoded):
    """The point of 32 bytes (section 5.1.3); None: they are none."""
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    squared = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(squared, (P + 3) // 8, P)
    if (x * x - squared) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - squared) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signature(key, message, signature):
    """Section 5.1.7, and stricter: neither the key nor the point in the signature may be of small order."""
    a, r = point_of(key), point_of(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or a is None or r is None or s >= L:
        return False
    if same(times(8, a), NEUTRAL) or same(times(8, r), NEUTRAL):
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    return same(times(s, BASE), add(r, times(k, a)))


# --------------------------------------------------------------------------------------------- signed notes (c2sp.org/signed-note)


def from_base64(letters):
    """Bytes in the one spelling of RFC 4648 with padding."""
    try:
        decoded = base64.b64decode(letters.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise ValueError("not base64") from None
    need(base64.b64encode(decoded).decode() == letters, "base64 in its one spelling")
    return decoded


def is_key_name(name):
    return name != "" and not any(c == "+" or c.isspace() or unicodedata.category(c) == "Cc" for c in name)


class PublicKey:
    """`<name>+<hash>+<base64 of a byte 1 and the key>`, and the end of the line."""

    def __init__(self, line):
        need(line.endswith("\n") and line.count("+") >= 2, "a public key")
        self.name, key_hash, encoded = line[:-1].split("+", 2)
        decoded = from_base64(encoded)
        need(is_key_name(self.name) and len(decoded) == 33 and decoded[0] == 1, "a public key")
        self.key = decoded[1:]
        self.hash = hashlib.sha256(self.name.encode() + b"\n" + decoded).digest()[:4]
        need(key_hash == self.hash.hex(), "a public key whose hash is right")
        need(point_of(self.key) is not None, "a public key: its bytes are no point of the curve")

    def fingerprint(self):
        return hashlib.sha256(self.key).hexdigest()

    def signed_text(self, note):
        """The text of a note, if this key signed it. Signatures of others are passed over."""
        need(not any(c < " " and c != "\n" for c in note), "a note: it holds a control character")
        end = note.rfind("\n\n")
        need(end >= 0 and note.endswith("\n") and len(note) > end + 2, "a whole note")
        signed_text, lines = note[: end + 1], note[end + 2 : -1].split("\n")
        need(len(lines) <= 16, "a note: it has too many signatures")
        signed = False
        for line in lines:
            words = line.split(" ", 2)
            need(len(words) == 3 and words[0] == "\u2014" and is_key_name(words[1]), "a line of a signature")
            signature = from_base64(words[2])
            need(len(signature) > 4, "a line of a signature")
            if words[1] == self.name and signature[:4] == self.hash:
                need(is_signature(self.key, signed_text.encode(), signature[4:]), "a signature of this text")
                signed = True
        need(signed, "signed by " + self.name)
        return signed_text


def read_checkpoint(signed_text):
    """Origin and, by the name of each chain, size and root (c2sp.org/tlog-checkpoint)."""

    def whole(digits):
        need(re.fullmatch("0|[1-9][0-9]{0,19}", digits) and int(digits) < 1 << 64, "a size")
        return int(digits)

    def root(letters):
        decoded = from_base64(letters)
        need(len(decoded) == 32, "a root")
        return decoded

    lines = signed_text.split("\n")[:-1]
    origin = lines[0]
    need(re.fullmatch("keepsake/(.+)/system", origin), "an origin")
    instance = origin[len("keepsake/") : -len("/system")]
    need(is_key_name(instance) and "/" not in instance, "an origin")
    need(len(lines) >= 4, "a checkpoint: lines are missing")
    chains = {"system": (whole(lines[1]), root(lines[2]))}
    when = lines[-1]
    need(re.fullmatch("time (0|-?[1-9][0-9]{0,18})", when), "a time")
    need(-(1 << 63) <= int(when[5:]) < 1 << 63, "a time")
    before = ""
    for line in lines[3:-1]:
        words = line.split(" ")
        need(len(words) == 3 and is_agent(words[0]), "a line of an agent")
        chains[words[0]] = (whole(words[1]), root(words[2]))
        need(words[0] > before, "in the order of names")
        before = words[0]
    return origin, chains


# ------------------------------------------------------------------------------------------------------------------------------- zip


class Bundle:
    """The zip, read strictly: one plain directory at its very end, stored or deflated files, each name once."""

    def __init__(self, path):
        check_frame(path)
        self.zip = zipfile.ZipFile(path)
        # A person's copy, and an export about an instant, are told by the file that no other has.
        names = self.zip.namelist()
        self.form = "copy" if "about-you.json" in names else "as_of" if "as-of.ndjson" in names else "audit"
        self.sort = "copy" if self.form == "copy" else "audit"

    def names(self):
        return [(info.filename, info.file_size) for info in self.zip.infolist()]

    def check_packing(self):
        for info in self.zip.infolist():
            need(info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED), "packed as bundles are")
            need(info.flag_bits & ~0x80E == 0, "a plain file: " + info.filename)
            # What stands before the file must have the same name.
            self.zip.open(info).close()

    def open(self, file):
        return io.BufferedReader(self.zip.open(file), 64 * 1024)

    def bytes(self, file):
        with self.open(file) as stream:
            return stream.read()

    def text(self, file):
        """A file in one piece; what is not UTF-8 is read as nothing."""
        try:
            return self.bytes(file).decode("utf-8")
        except UnicodeDecodeError:
            return ""


def check_frame(path):
    """Whether the directory is where every reader looks for it."""
    with open(path, "rb") as file:
        length = file.seek(0, io.SEEK_END)
        need(length >= 22, "a zip file: it is too short")
        file.seek(length - 22)
        signature, _, _, _, entries, size, at, comment = struct.unpack("<4s4H2LH", file.read(22))
        need(signature == b"PK\5\6" and comment == 0, "a zip file that ends with its directory")
        ends_at = length - 22
        if entries == 0xFFFF or size == 0xFFFFFFFF or at == 0xFFFFFFFF:
            ends_at = length - 22 - 20 - 56
            need(ends_at >= 0, "a zip file: it is too short")
            file.seek(ends_at)
            record, locator = file.read(56), file.read(20)
            need(record[:4] == b"PK\6\6" and locator[:4] == b"PK\6\7", "a zip file with its large directory")
            need(struct.unpack("<Q", locator[8:16])[0] == ends_at, "a zip file with its directory at its end")
            size, at = struct.unpack("<2Q", record[40:56])
        need(at + size == ends_at and size <= 64 * 1024, "a zip file with its directory at its end")


UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    UnicodeDecodeError,
    ValueError,
    struct.error,
    OverflowError,
)


def open_bundle(path, found):
    """1. Form: exactly the files of an export, each once."""
    try:
        bundle = Bundle(path)
        bundle.check_packing()
    except UNREADABLE as error:
        found.add("", None, "form", "not a zip file as a bundle is one: {}".format(error))
        return None
    before = found.count
    seen = set()
    for name, size in bundle.names():
        if name not in FILES[bundle.form]:
            found.add(name, None, "form", "no such file belongs into an export")
            continue
        if size > LARGEST.get(name, LARGEST_OF_LINES):
            found.add(name, None, "form", "it would unpack to {} bytes, which is too much".format(size))
        if name in seen:
            found.add(name, None, "form", "it is there more than once")
        seen.add(name)
    for name in FILES[bundle.form]:
        if name not in seen:
            found.add(name, None, "form", "it is missing")
    return bundle if found.count == before else None


def check_sums(bundle, found):
    """2. Sums. Answers the hash of SHA256SUMS; None: a file cannot be unpacked."""
    files, summed = FILES[bundle.form], SUMMED[bundle.form]
    hashes = {}
    for name in files:
        digest = hashlib.sha256()
        try:
            with bundle.open(name) as stream:
                for piece in iter(lambda: stream.read(1 << 20), b""):
                    digest.update(piece)
            hashes[name] = digest.digest()
        except UNREADABLE as error:
            found.add(name, None, "form", "it cannot be unpacked: {}".format(error))
    if len(hashes) < len(files):
        return None
    lines = bundle.text("SHA256SUMS").split("\n")
    shapes = ["([0-9a-f]{64})  " + re.escape(name) for name in summed] + [""]
    matches = [re.fullmatch(shape, line) for shape, line in zip(shapes, lines)]
    if len(lines) != len(shapes) or not all(matches):
        found.add("SHA256SUMS", None, "format", "it does not list the files before it, one a line")
    else:
        for name, match in zip(summed, matches):
            if hashes[name].hex() != match[1]:
                found.add(name, None, "sum", "its SHA-256 is not the one in SHA256SUMS")
    return hashes["SHA256SUMS"]


def read_manifest(bundle, found):
    try:
        manifest, _ = read_line(bundle.bytes("manifest.json"), MANIFEST)
        need(manifest["format"] == FORMAT, "of the format " + FORMAT)
        return manifest
    except NOT_OF_FORM as error:
        found.add("manifest.json", None, "format", error)
        return None


def check_signatures(bundle, instance, sums, given, found):
    """3. Signature. Answers the key and what the checkpoint says of each chain, as far as they can be read."""
    try:
        key = PublicKey(bundle.text("pubkey.txt"))
    except ValueError as error:
        found.add("pubkey.txt", None, "key", error)
        return None, None
    if given is not None and (given.name, given.key) != (key.name, key.key):
        found.add("pubkey.txt", None, "key", "it is another key than the one that was given")
    signed = None
    try:
        origin, signed = read_checkpoint(key.signed_text(bundle.text("checkpoint.txt")))
        if origin != "keepsake/{}/system".format(instance):
            found.add("checkpoint.txt", None, "signature", "it is of another installation than the manifest says")
    except ValueError as error:
        found.add("checkpoint.txt", None, "signature", error)
    try:
        says = key.signed_text(bundle.text("SIGNATURE"))
        need(says == "keepsake/{}/export\n{}\n".format(instance, sums.hex()), "about these files")
    except ValueError as error:
        found.add("SIGNATURE", None, "signature", error)
    return key, signed


def read_proofs(bundle, found):
    try:
        proofs = read_json(bundle.bytes("proofs.json").decode("utf-8"))
        PROOFS(proofs)
        return proofs["chains"]
    except NOT_OF_FORM as error:
        found.add("proofs.json", None, "format", error)
        return None


# ------------------------------------------------------------------------------------------------------------------------ the files


class Lines:
    """The lines of a file that are of its form; those that are not are told of."""

    def __init__(self, bundle, file, found):
        self.file = file
        self.found = found
        self.number = 0
        self.stream = bundle.open(file)

    def __iter__(self):
        with self.stream:
            for raw in iter(lambda: self.stream.readline(LONGEST_LINE + 1), b""):
                self.number += 1
                if len(raw) > LONGEST_LINE or self.number > MOST_LINES:
                    self.found.add(
                        self.file, self.number, "form", "it is longer than lines are, or one too many; the rest is not read"
                    )
                    return
                try:
                    value, line = read_line(raw, LINES[self.file])
                except NOT_OF_FORM as error:
                    self.found.add(self.file, self.number, "format", error)
                    continue
                yield self.number, value, line


class Events:
    """4. Events: in their order, linked, and as leaves."""

    def __init__(self, bundle, ledger, found):
        self.lines = Lines(bundle, "events.ndjson", found)
        self.walk = iter(self.lines)
        self.ledger = ledger
        self.found = found
        # The last event that was in its place, and the one that was looked at and not yet taken: chain, seq, leaf.
        self.before = None
        self.next = None

    def look(self):
        while self.next is None:
            line = next(self.walk, None)
            if line is None:
                return None
            self.next = self.place(*line)
        return self.next

    def next_in(self, chain):
        """The next event of this chain: its place among the leaves, from 0, and its leaf."""
        event = self.look()
        if event is None or event[0] != chain:
            return None
        self.next = None
        return event[1] - 1, event[2]

    def place(self, line, event, body):
        def fault(kind, detail):
            self.found.add("events.ndjson", line, kind, detail)

        chain, seq = event["agent"], event["seq"]
        if event["v"] != 1 or seq < 1:
            fault("format", "no event has this version or this number")
            return None
        before = self.before
        if before is not None and (chain, seq) <= before[:2]:
            fault("order", "it does not come after the event before it")
            return None
        follows = True
        if seq == 1:
            follows = event["prev_hash"] == "0" * 64
        elif before is not None and before[:2] == (chain, seq - 1):
            follows = event["prev_hash"] == before[2].hex()
        if not follows:
            fault("link", "it does not name the hash of the event before it")
        self.ledger.note(line, event)
        self.before = chain, seq, hashlib.sha256(b"\0" + body.encode()).digest()
        return self.before


class NoProof(Exception):
    """Leaves and hashes do not fit each other."""


def root_of(size, leaves, hashes):
    """5. The root that leaves and hashes lead to, by the recursion of EXPORTS.md. Both are taken one by one."""
    leaves, hashes = iter(leaves), iter(hashes)
    ahead = next(leaves, None)

    def subtree(low, high):
        nonlocal ahead
        if ahead is not None and ahead[0] < low:
            raise NoProof("the leaves do not rise, or lie beyond the size of the tree")
        if ahead is None or ahead[0] >= high:
            cut = next(hashes, None)
            if cut is None:
                raise NoProof("there are fewer hashes than subtrees without a leaf")
            return cut
        if high - low == 1:
            leaf, ahead = ahead[1], next(leaves, None)
            return leaf
        middle = low + (1 << ((high - low - 1).bit_length() - 1))
        left = subtree(low, middle)
        return hashlib.sha256(b"\1" + left + subtree(middle, high)).digest()

    root = subtree(0, size) if size else hashlib.sha256().digest()
    if ahead is not None:
        raise NoProof("the leaves do not rise, or lie beyond the size of the tree")
    if next(hashes, None) is not None:
        raise NoProof("there are more hashes than subtrees without a leaf")
    return root


def lead_to_the_roots(events, proofs, found):
    """Reads every event; answers how many each chain has."""
    chains = {}
    while True:
        event = events.look()
        if event is None:
            return chains
        chain, taken = event[0], 0

        def leaves():
            nonlocal taken
            for leaf in iter(lambda: events.next_in(chain), None):
                taken += 1
                yield leaf

        walk = leaves()
        detail = None
        if proofs is not None and chain in proofs:
            said = proofs[chain]
            try:
                if root_of(said["size"], walk, map(bytes.fromhex, said["hashes"])).hex() != said["root"]:
                    detail = "its events and hashes lead to another root"
            except NoProof as error:
                detail = error
        elif proofs is not None:
            detail = "it has events here and no proof"
        # What a proof did not take, because it failed early, is still looked at.
        for _ in walk:
            pass
        if detail is not None:
            found.add("proofs.json", None, "proof", "chain {!r}: {}".format(chain, detail))
        chains[chain] = taken


def compare_chains(chains, proofs, signed, manifest, found):
    for name in sorted(proofs or {}):
        said = proofs[name]
        if name not in chains:
            found.add("proofs.json", None, "proof", "chain {!r}: it has no events here".format(name))
        if signed is not None and signed.get(name) != (said["size"], bytes.fromhex(said["root"])):
            found.add(
                "proofs.json", None, "proof", "chain {!r}: its size and root are not those of the checkpoint".format(name)
            )
    for name in sorted(manifest["chains"]):
        said = manifest["chains"][name]
        if chains.get(name) != said["events"]:
            found.add("manifest.json", None, "count", "chain {!r}: it counts other events".format(name))
        there = (proofs or {}).get(name)
        if there is not None and (there["size"], there["root"]) != (said["size"], said["root"]):
            found.add("manifest.json", None, "proof", "chain {!r}: its size and root are not those of the proof".format(name))
    for name in sorted(chains):
        if name not in manifest["chains"]:
            found.add("manifest.json", None, "count", "chain {!r}: it is not mentioned".format(name))


# In which file the text of an event is, and what tells it apart from others about the same thing: a name in its data, or a word.
TEXTS = {
    "conversation.received": ("conversations.ndjson", None, ""),
    "candidate.proposed": ("candidates.ndjson", None, ""),
    "candidate.approved": ("decisions.ndjson", "decision", ""),
    "candidate.rejected": ("decisions.ndjson", "decision", ""),
    "candidate.expired": ("decisions.ndjson", "decision", ""),
    "candidate.superseded": ("decisions.ndjson", "decision", ""),
    "candidate.reopened": ("decisions.ndjson", "decision", ""),
    "candidate.handed_over": ("remarks.ndjson", None, "handed_over"),
    "candidate.agreed": ("remarks.ndjson", None, "agreed"),
    "memory.created": ("memories.ndjson", "revision", ""),
    "memory.updated": ("memories.ndjson", "revision", ""),
    "memory.merged": ("memories.ndjson", "revision", ""),
    "memory.restored": ("memories.ndjson", "revision", ""),
    "memory.retired": ("memories.ndjson", "revision", ""),
}


def place_of(file, agent, user, subject, mark):
    """Which line of which file a text belongs to, as a hash: a million of them stay small."""
    return hashlib.sha256(json.dumps([file, agent, user, subject, mark]).encode()).digest()


class Ledger:
    """What the events promise: the texts they commit to and the servings they tell of."""

    def __init__(self, found):
        self.found = found
        # By commitment: place, agent, user, line, whether the text was there, and what the event is about.
        self.texts = {}
        # By agent and first serving: how many, their hash, the line, whether they were there, and when the event was written.
        self.servings = {}
        self.erased = set()
        self.forgetful = set()
        self.removed = {}
        # Conversations and candidates that retention removed, by agent and id: the line of the event that tells of it.
        self.things = {}
        # By agent, up to when servings were removed by retention.
        self.served = {}

    def note(self, line, event):
        kind, agent, subject = event["type"], event["agent"], event["subject"]
        if kind == "user.erased":
            self.erased.add((agent, subject))
            self.forgetful.add(agent)
        elif kind == "agent.removed" and subject == agent:
            self.removed[agent] = line
        elif kind in ("conversation.removed", "candidate.removed"):
            self.things[(agent, subject)] = line
        elif kind == "retention.applied":
            before = event["data"].get("servings_before_us")
            if is_integer(before) and before < 1 << 63:
                # What comes later cannot have been removed by then.
                self.served[agent] = max(min(before, event["at_us"]), self.served.get(agent, -1 << 63))
        elif kind == "context.served":
            self.note_servings(line, event)
        if "commitment" not in event:
            return
        place = None
        if kind in TEXTS:
            file, name, mark = TEXTS[kind]
            value = event["data"].get(name) if name else None
            if isinstance(value, str) or (isinstance(value, (int, float)) and not isinstance(value, bool)):
                mark = str(value)
            place = place_of(file, agent, event["user"] or "", subject, mark)
        commitment = bytes.fromhex(event["commitment"])
        if commitment in self.texts:
            self.found.add("events.ndjson", line, "commitment", "another event commits to the same text")
        else:
            self.texts[commitment] = [place, agent, event["user"], line, False, subject]

    def note_servings(self, line, event):
        data = event["data"]
        servings, over = data.get("servings"), data.get("hash")
        if not is_integer(servings) or servings < 0 or not re.fullmatch("[0-9a-f]{64}", over if isinstance(over, str) else ""):
            self.found.add("events.ndjson", line, "serving", "it does not say how many servings there were, or their hash")
            return
        batch = event["agent"], event["subject"]
        if batch in self.servings:
            self.found.add("events.ndjson", line, "serving", "another event tells of the same servings")
        self.servings[batch] = [servings, over, line, False, event["at_us"]]

    def use_up(self, place, proof):
        """Makes good what an event promised. Answers why not, or None."""
        hashed = hashlib.sha256(bytes.fromhex(proof["salt"]) + proof["committed"].encode()).digest()
        owed = self.texts.get(hashed)
        if owed is None:
            return "no event here commits to this text"
        if owed[0] != place:
            return "the event that commits to this text is about something else"
        if owed[4]:
            return "the text of this event was there before"
        owed[4] = True
        return None

    def meet(self, batch):
        """Notes that a batch is there; false where it was there before."""
        told = self.servings.get(batch)
        if told is None or told[3]:
            return False
        told[3] = True
        return True

    def is_gone(self, agent, line):
        return line < self.removed.get(agent, 0)

    def forgot(self, agent, told):
        """Whether servings may be missing: users of the agent were erased, or retention removed them."""
        return agent in self.forgetful or told[4] < self.served.get(agent, -1 << 63)

    def unmet(self):
        return sorted(
            told[2]
            for (agent, _), told in self.servings.items()
            if not told[3] and not self.forgot(agent, told) and not self.is_gone(agent, told[2])
        )

    def ask_for_the_rest(self):
        """7. Whole: every text is here, unless it cannot be any more."""
        for _, agent, user, line, used, subject in sorted(self.texts.values(), key=lambda owed: owed[3]):
            removed = line < self.things.get((agent, subject), 0)
            if not used and not removed and (agent, user) not in self.erased and not self.is_gone(agent, line):
                self.found.add(
                    "events.ndjson",
                    line,
                    "missing",
                    "the text that it commits to is not here, and no event tells that it was removed",
                )


def check_texts(bundle, file, subject, mark, ledger, found):
    """6. Texts: each is what an event committed to, and stands where that event says."""
    lines = Lines(bundle, file, found)
    for number, line, _ in lines:
        content, proof = line["text"], line["proof"]
        if file == "decisions.ndjson":
            if content is None and proof is None:
                continue
            if content is None or proof is None:
                found.add(file, number, "format", "a text has a proof, and a proof a text")
                continue
        place = place_of(file, line["agent"], line["user"], line[subject], str(line[mark]) if mark else "")
        why_not = ledger.use_up(place, proof)
        if why_not is not None:
            found.add(file, number, "commitment", why_not)
        if canonical(content) != proof["committed"]:
            found.add(file, number, "text", "what was committed to is not the canonical JSON of the text")
    return lines.number


def check_servings(bundle, ledger, manifest, found):
    """7. The servings are those that events tell of, a batch each."""
    asked = manifest["filter"]
    whole = all(asked[name] is None for name in ("user", "named", "from", "to"))

    def compare(batch, first, servings, digest):
        def fault(detail):
            found.add("servings.ndjson", first, "serving", detail)

        told = ledger.servings.get(batch)
        if told is None:
            if whole:
                fault("no event here tells of these servings")
            return
        if servings < told[0]:
            right = not whole or ledger.forgot(batch[0], told)
        else:
            right = servings == told[0] and digest == told[1]
        if not right:
            fault("they are not those that their event tells of")
        if not ledger.meet(batch):
            fault("servings of the same event stand elsewhere as well")

    lines = Lines(bundle, "servings.ndjson", found)
    batch, first, servings, digest = None, 0, 0, None

    def close():
        if batch is not None:
            digest.update(b"]")
            compare(batch, first, servings, digest.hexdigest())

    for number, line, _ in lines:
        if line["batch"] is None:
            # Which batch it was told with is not known; that of which it is the first has something here.
            ledger.meet((line["agent"], line["id"]))
            continue
        if batch != (line["agent"], line["batch"]):
            close()
            batch, first, servings, digest = (line["agent"], line["batch"]), number, 0, hashlib.sha256()
        items = [[item["memory"], item["revision"]] for item in line["items"]]
        told = {"at_us": microseconds(line["at"]), "id": line["id"], "items": items, "user": line["user"]}
        digest.update((("," if servings else "[") + canonical(told)).encode())
        servings += 1
    close()
    if whole:
        for line in ledger.unmet():
            found.add("events.ndjson", line, "serving", "the servings that it tells of are not here")
    return lines.number


def check_filter(bundle, asked, found):
    about_an_instant = "as_of" in asked
    if about_an_instant != (bundle.form == "as_of"):
        detail = "an export about an instant names it here and has as-of.ndjson; no other has either"
        found.add("manifest.json", None, "form", detail)
    of_a_person = asked["user"] is not None or asked["named"] is not None
    if about_an_instant and not (of_a_person and asked["from"] is None and asked["to"] is None):
        found.add("manifest.json", None, "format", "an export about an instant is of one person and of the whole time")


# In which file a thing of as-of.ndjson is told whole.
HELD = {"memory": "memories.ndjson", "candidate": "candidates.ndjson", "serving": "servings.ndjson"}
REVISED = ["memory.created", "memory.updated", "memory.merged", "memory.restored", "memory.retired"]
DECIDED = ["candidate.approved", "candidate.rejected", "candidate.expired", "candidate.superseded"]
WAITS_FOR = 7 * 24 * 60 * 60 * 1_000_000


def key_of(what, line):
    return place_of(HELD[what], line["agent"], line["user"], line["id"], "")


def is_number(value):
    return is_integer(value) and -(1 << 63) <= value < 1 << 63


def standing_at(bundle, then):
    """All that stood at an instant, or may have, by its key: file, line, revision, since when, until when, and whether that is certain.
    The files are read a second time for it; what is wrong with their lines was told of the first time."""
    revised, renewed, waiting = {}, {}, {}
    for _, event, _ in Lines(bundle, "events.ndjson", Findings()):
        at, kind, data = event["at_us"], event["type"], event["data"]
        if at > then:
            continue
        about = event["agent"], event["subject"]
        end = data.get("expires_at") if is_number(data.get("expires_at")) else None
        if kind in REVISED:
            revised[about] = data.get("revision"), at, kind == "memory.retired"
        elif kind == "candidate.seen_again" and end is not None:
            renewed.setdefault(about, []).append((at, end))
        elif kind in ("candidate.proposed", "candidate.reopened"):
            waiting[about] = at, at + WAITS_FOR if end is None else end
        elif kind in DECIDED:
            waiting.pop(about, None)
    standing = {}
    for number, line, _ in Lines(bundle, "memories.ndjson", Findings()):
        about = line["agent"], line["id"]
        revision, at, retired = revised.get(about, (None, 0, True))
        if retired or not is_integer(revision) or revision != line["revision"]:
            continue
        end = None
        if line["expires_at"] is not None:
            # What was said again before this revision renewed the one before it.
            ends = [end for said, end in renewed.get(about, []) if said >= at]
            end = max([microseconds(line["expires_at"])] + ends)
        if end is None or end > then:
            standing[key_of("memory", line)] = "memories.ndjson", number, revision, at, end, True
    for number, line, _ in Lines(bundle, "candidates.ndjson", Findings()):
        about = line["agent"], line["id"]
        if about in waiting:
            # How long it got back after a downtime is told in no export of one person: it waited until then at least.
            at, end = waiting[about]
            standing[key_of("candidate", line)] = "candidates.ndjson", number, None, at, end, end > then
    for number, line, _ in Lines(bundle, "servings.ndjson", Findings()):
        at = microseconds(line["at"])
        if at <= then:
            standing[key_of("serving", line)] = "servings.ndjson", number, None, at, None, True
    return standing


def check_as_of(bundle, instant, found):
    """8. Instant: what is told to have stood did, and nothing is left out."""
    lines = Lines(bundle, "as-of.ndjson", found)
    if instant is None:
        # Told of with the manifest.
        for _ in lines:
            pass
        return lines.number
    then = microseconds(instant)
    standing = standing_at(bundle, then)
    for number, line, _ in lines:
        stood = standing.pop(key_of(line["what"], line), None)
        if stood is None:
            found.add("as-of.ndjson", number, "as_of", "it did not stand then, or is told twice")
            continue
        _, _, revision, at, end, _ = stood
        until = None if line["until"] is None else microseconds(line["until"])
        if line["what"] == "candidate":
            right = until is not None and until >= end and until > then
        else:
            right = until == end
        if not right or line["revision"] != revision or microseconds(line["at"]) != at:
            found.add("as-of.ndjson", number, "as_of", "it stood then otherwise than this says")
    missing = [(LINE_FILES.index(file), number) for file, number, _, _, _, certain in standing.values() if certain]
    for file, number in sorted(missing):
        found.add(LINE_FILES[file], number, "as_of", "it stood at the instant, and as-of.ndjson does not tell of it")
    return lines.number


# ----------------------------------------------------------------------------------------------------------------------------- report


def verify(path, given):
    found = Findings()
    report = {"ok": False, "sort": None, "instance": None, "key": None, "key_compared": given is not None, "counts": {}}
    check(path, given, report, found)
    report["ok"] = found.count == 0
    report["found"] = found.count
    report["faults"] = found.faults
    return report


def check(path, given, report, found):
    bundle = open_bundle(path, found)
    if bundle is None:
        return
    with bundle.zip:
        report["sort"] = bundle.sort
        sums = check_sums(bundle, found)
        if bundle.sort == "copy":
            report["key_compared"] = False
            if given is not None:
                # Whoever brings a key wants to know who made this; nothing here can tell.
                found.add("", None, "key", "a person's copy is not signed, so there is nothing to compare a key with")
            return
        manifest = None if sums is None else read_manifest(bundle, found)
        if manifest is None:
            return
        report["instance"] = manifest["instance"]
        check_filter(bundle, manifest["filter"], found)
        key, signed = check_signatures(bundle, manifest["instance"], sums, given, found)
        report["key"] = None if key is None else key.fingerprint()

        ledger = Ledger(found)
        proofs = read_proofs(bundle, found)
        events = Events(bundle, ledger, found)
        chains = lead_to_the_roots(events, proofs, found)
        counts = report["counts"]
        counts["events.ndjson"] = events.lines.number
        compare_chains(chains, proofs, signed, manifest, found)

        users = Lines(bundle, "users.ndjson", found)
        for _ in users:
            pass
        counts["users.ndjson"] = users.number
        for file, subject, mark in [
            ("conversations.ndjson", "id", None),
            ("candidates.ndjson", "id", None),
            ("decisions.ndjson", "candidate", "id"),
            ("remarks.ndjson", "candidate", "occasion"),
            ("memories.ndjson", "id", "revision"),
        ]:
            counts[file] = check_texts(bundle, file, subject, mark, ledger, found)
        counts["servings.ndjson"] = check_servings(bundle, ledger, manifest, found)
        if bundle.form == "as_of":
            counts["as-of.ndjson"] = check_as_of(bundle, manifest["filter"].get("as_of"), found)

        ledger.ask_for_the_rest()
        for file in COUNTED[bundle.form]:
            said = manifest["counts"].get(file)
            if said != counts[file]:
                found.add(file, None, "count", "it has {} lines, the manifest says {}".format(counts[file], said))
        if len(manifest["counts"]) != len(COUNTED[bundle.form]):
            found.add("manifest.json", None, "count", "it counts other files than those of lines")


def tell(path, report):
    print(path)
    if report["sort"] == "copy":
        print("  copy          a person's own copy: checked is whether its files are those that SHA256SUMS lists, and nothing else.")
        print("                It carries no audit chain and no signature, so nothing in it can tell who made it, or whether it is")
        print("                whole; an export of the sort audit proves that")
    if report["instance"] is not None:
        print("  installation  " + report["instance"])
    if report["key"] is not None:
        print("  signed with   " + report["key"])
        if report["key_compared"]:
            print("                compared with the key that you gave")
        else:
            print("                compare this fingerprint with the one you were given: nothing in a bundle can tell")
            print("                whether its key is the right one (`keepsake audit key` prints it; --key compares)")
    for file, lines in report["counts"].items():
        print("  {:<22}{:>12} lines".format(file, lines))
    for fault in report["faults"]:
        place = fault["file"] or "the bundle"
        if fault["line"] is not None:
            place += ", line {}".format(fault["line"])
        print("  {}: {}: {}".format(place, fault["kind"], fault["detail"]))
    if report["found"] > len(report["faults"]):
        print("  and {} more".format(report["found"] - len(report["faults"])))
    print("  nothing is wrong" if report["ok"] else "  {} faults".format(report["found"]))


def read_key(given):
    """The key in the first line of a file, or the line itself. What is there as a file is read as one."""
    if os.path.exists(given):
        with open(given, encoding="utf-8") as file:
            return PublicKey(file.readline().rstrip() + "\n")
    try:
        return PublicKey(given.rstrip() + "\n")
    except ValueError as error:
        raise ValueError("read {}: no such file, nor the line of a key: {}".format(given, error)) from None


def main():
    parser = argparse.ArgumentParser(description="Checks exports of Keepsake. Exit code 1 where something is wrong.")
    parser.add_argument("bundles", nargs="+", metavar="BUNDLE", help="the zip file of an export")
    parser.add_argument("--key", metavar="PUBKEY", help="the public key that it must be signed with: a file that holds it, or its own line")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each bundle")
    arguments = parser.parse_args()
    try:
        given = None
        if arguments.key is not None:
            given = read_key(arguments.key)
        well = True
        for path in arguments.bundles:
            report = verify(path, given)
            well = well and report["ok"]
            if arguments.json:
                print(json.dumps(report))
            else:
                tell(path, report)
    except (OSError, ValueError) as error:
        print("verify.py: {}".format(error), file=sys.stderr)
        return 1
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
