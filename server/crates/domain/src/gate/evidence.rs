//! Finds the words that support a draft (F5), and says why they do not count where they do not.

use std::{cell::OnceCell, collections::BTreeSet, ops::Range};

use unicode_segmentation::UnicodeSegmentation;

use crate::{
    candidate::{Dropped, Evidence},
    conversation::{Role, Source},
    draft::Quote,
    flags::handed_over,
    kind::EvidenceRule,
    secret,
    text::{self, Folded},
};

use super::{Turn, agreement, forget, served, silence::Silence};

/// A turn, looked at once for all drafts. Places are code points of the content.
pub(super) struct Said<'a> {
    pub(super) turn: &'a Turn,
    original: Folded,
    /// The view a model read, where it differs.
    masked: Option<Folded>,
    served: Vec<Range<usize>>,
    secrets: Vec<Range<usize>>,
    silence: Silence,
    handed: OnceCell<Vec<Range<usize>>>,
}

/// Words in a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) turn: usize,
    pub(super) range: Range<usize>,
}

/// What supports a draft.
#[derive(Debug)]
pub(super) struct Support {
    pub(super) places: Vec<Place>,
    /// Whether no user said any of it.
    pub(super) not_said: bool,
}

impl<'a> Said<'a> {
    pub(super) fn new(turn: &'a Turn, was_served: &dyn Fn(&str) -> bool) -> Self {
        let secrets = secret::spans(&turn.content);
        let silence = if turn.role == Role::User {
            Silence::of(&turn.content)
        } else {
            Silence::none(&turn.content)
        };
        Self {
            turn,
            original: text::fold(&typed(&turn.content)),
            masked: (!secrets.is_empty()).then(|| text::fold(&typed(&secret::mask(&turn.content)))),
            served: served::spans(&turn.content, turn.role, was_served),
            secrets,
            silence,
            handed: OnceCell::new(),
        }
    }

    /// Whether a machine wrote in the user's place.
    pub(super) fn machine_made(&self) -> bool {
        self.turn.role == Role::User && self.turn.source != Source::Human
    }

    /// Its parts, and whether the user asked not to remember them, or to forget what they say.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&'a str, bool)> {
        let parts = self.silence.parts.iter();
        parts.map(move |(part, asked)| (self.slice(part), *asked))
    }

    /// Whether a statement says what the user asked here to forget.
    pub(super) fn names(&self, statement: &str) -> bool {
        self.silence.names(statement)
    }

    /// The user's own requests to forget something.
    pub(super) fn requests(&self) -> impl Iterator<Item = forget::Request> {
        let requests = forget::requests(&self.turn.content).into_iter();
        requests.filter(move |forget::Request { place, .. }| {
            !self.was_served(place) && !self.holds_secret(place) && !self.handed_over(place)
        })
    }

    /// Whether the words are part of such a request.
    pub(super) fn wishes_forgotten(&self, range: &Range<usize>) -> bool {
        self.requests()
            .any(|request| overlap(&request.place, range))
    }

    pub(super) fn slice(&self, range: &Range<usize>) -> &'a str {
        text::slice(&self.turn.content, range.start, range.end)
    }

    pub(super) fn holds_secret(&self, range: &Range<usize>) -> bool {
        self.secrets.iter().any(|secret| overlap(secret, range))
    }

    pub(super) fn was_served(&self, range: &Range<usize>) -> bool {
        self.served.iter().any(|served| overlap(served, range))
    }

    /// Whether the words are part of a text that the user handed over to be worked on.
    pub(super) fn handed_over(&self, range: &Range<usize>) -> bool {
        self.handed
            .get_or_init(|| handed_over::ranges(&self.turn.content))
            .iter()
            .any(|handed| overlap(handed, range))
    }

    /// The sentence up to the end of the words: who is its subject stands before them.
    pub(super) fn sentence_upto(&self, range: &Range<usize>) -> &'a str {
        let before = text::slice(&self.turn.content, 0, range.start);
        let border = before
            .rfind(['.', '!', '?', '。', '！', '？', '\n'])
            .map_or(0, |byte| before[..byte].chars().count() + 1);
        text::slice(&self.turn.content, border, range.end)
    }

    /// Widens the range to grapheme borders.
    pub(super) fn evidence(&self, range: &Range<usize>) -> Evidence {
        let mut place = range.clone();
        let mut at = 0;
        for grapheme in self.turn.content.graphemes(true) {
            let next = at + text::length(grapheme);
            if at < place.start && place.start < next {
                place.start = at;
            }
            if at < place.end && place.end < next {
                place.end = next;
            }
            at = next;
        }
        Evidence {
            conversation: self.turn.conversation.clone(),
            message: Some(self.turn.message.clone()),
            start: place.start,
            end: place.end,
            quote: self.slice(&place).to_owned(),
        }
    }

    /// Every place of the words; the one that the extractor named first.
    fn find(&self, quote: &Quote) -> Vec<Range<usize>> {
        let words = typed(&quote.text);
        let views = std::iter::once(&self.original).chain(&self.masked);
        let mut found: Vec<_> = views
            .flat_map(|view| view.find(&words))
            .filter(|range| self.whole_words(range))
            .collect();
        if let Some(start) = quote.start {
            found.sort_by_key(|range| !range.contains(&start));
        }
        found
    }

    /// Whether the range cuts no word that is written with spaces around it.
    fn whole_words(&self, range: &Range<usize>) -> bool {
        // Latin, Greek, Cyrillic. Thai, for one, has no borders that could be cut.
        let spaced = |c: char| {
            c.is_alphanumeric() && (c < '\u{530}' || ('\u{1e00}'..='\u{1fff}').contains(&c))
        };
        let at = |index: usize| {
            text::slice(&self.turn.content, index, index + 1)
                .chars()
                .next()
        };
        let cut = |left: Option<char>, right: Option<char>| {
            left.is_some_and(spaced) && right.is_some_and(spaced)
        };
        !cut(range.start.checked_sub(1).and_then(at), at(range.start))
            && !cut(range.end.checked_sub(1).and_then(at), at(range.end))
    }
}

/// Quotation marks as a keyboard has them, one for one: a telephone sets others, and a model gives them back straight.
fn typed(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '‘' | '’' => '\'',
            '“' | '”' => '"',
            c => c,
        })
        .collect()
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// The words of a quote need a letter or a digit: a full stop stands in every message.
fn says_something(quote: &Quote) -> bool {
    let letters = quote.text.chars().filter(|c| c.is_alphanumeric());
    letters.clone().count() >= 2 || letters.clone().any(text::is_cjk)
}

/// Looks for the words of a quote in the turns whose role `counts` takes; else says why none of the places counts.
fn locate(
    quote: &Quote,
    said: &[Said<'_>],
    asked_counts: bool,
    counts: &dyn Fn(usize) -> bool,
) -> Result<Place, Dropped> {
    if !says_something(quote) {
        return Err(Dropped::NoEvidence);
    }
    let named = quote.turn.filter(|turn| *turn < said.len());
    let turns = named
        .into_iter()
        .chain((0..said.len()).filter(|turn| Some(*turn) != named));
    let mut why = Dropped::NoEvidence;
    for turn in turns {
        let here = &said[turn];
        for range in here.find(quote) {
            let refused = if here.turn.role == Role::System {
                Dropped::NoEvidence
            } else if here.machine_made() {
                Dropped::MachineMade
            } else if here.was_served(&range) {
                Dropped::Served
            } else if !asked_counts && here.silence.covers(&range) {
                Dropped::AskedNotToRemember
            } else if counts(turn) {
                return Ok(Place { turn, range });
            } else {
                Dropped::NoEvidence
            };
            why = telling(why, refused);
        }
    }
    Err(why)
}

/// Of two reasons the one that tells more: what the user asked first, that words were not found last.
fn telling(a: Dropped, b: Dropped) -> Dropped {
    let weight = |why| match why {
        Dropped::AskedNotToRemember => 3,
        Dropped::Served => 2,
        Dropped::MachineMade => 1,
        _ => 0,
    };
    if weight(b) > weight(a) { b } else { a }
}

/// What supports the quotes under a kind's rule.
///
/// # Errors
/// The reason to drop the draft.
pub(super) fn support(
    quotes: &[Quote],
    rule: EvidenceRule,
    retires: bool,
    said: &[Said<'_>],
) -> Result<Support, Dropped> {
    // A request to forget is itself the support of a retirement; otherwise words of an agent count for some kinds.
    let users_only =
        retires || matches!(rule, EvidenceRule::UserQuote | EvidenceRule::Conversations);
    let counts = |turn: usize| !users_only || said[turn].turn.role == Role::User;
    let located: Vec<_> = quotes
        .iter()
        .map(|quote| locate(quote, said, retires, &counts))
        .collect();
    if located.contains(&Err(Dropped::AskedNotToRemember)) {
        return Err(Dropped::AskedNotToRemember);
    }
    let why = located
        .iter()
        .filter_map(|place| place.as_ref().err())
        .fold(Dropped::NoEvidence, |why, other| telling(why, *other));
    let mut places: Vec<Place> = Vec::new();
    for place in located.into_iter().flatten() {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let user = |place: &Place| said[place.turn].turn.role == Role::User;
    match rule {
        _ if retires => {}
        EvidenceRule::Agreement => places = agreement::of(places, said),
        EvidenceRule::Conversations => {
            let from: BTreeSet<_> = places
                .iter()
                .map(|place| &said[place.turn].turn.conversation)
                .collect();
            if from.len() < 2 {
                return Err(why);
            }
        }
        EvidenceRule::UserQuote | EvidenceRule::AnyTurn | EvidenceRule::Conversation => {}
    }
    if places.is_empty() && (retires || rule != EvidenceRule::Conversation) {
        return Err(why);
    }
    let not_said = rule == EvidenceRule::AnyTurn && !places.iter().any(user);
    Ok(Support { places, not_said })
}
