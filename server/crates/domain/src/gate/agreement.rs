//! A decision may rest on a user's agreement plus the proposal it answers (F5).

use std::sync::LazyLock;

use regex::Regex;

use super::evidence::{Place, Said};
use crate::{conversation::Role, flags::pattern};

/// Words that say yes and nothing else.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    pattern::one(
        r"^\W*(?:(?:yes|yeah|yep|yup|ok|okay|sure|fine|great|perfect|agreed|approved|correct|exactly|absolutely|definitely|right|please|thanks|thank you|do it|do that|do so|go ahead|go for it|sounds? (?:good|great|fine)|let's (?:do|go with|go for) (?:it|that|this)|make it so|works for me|i agree|i approve|all good|good idea|はい|うん|ええ|お願い(?:します|いたします)?|了解(?:です|しました)?|承知(?:しました|です)?|賛成(?:です)?|いいですね|それで(?:お願いします|いいです|行きましょう|いきましょう)?|進めて(?:ください)?|そうしてください|そうしましょう|大丈夫です|オッケー|好的?|好啊|可以|行|同意|没问题|沒問題|就这么办|就這麼辦|就这样|就這樣|是的?|对|對|嗯|批准|照办|去做吧|做吧|请|請|吧|了)[\s,.!。、！，~～]*)+$",
    )
});

/// Words that say no.
static REFUSAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern::one(
        r"^\W*(?:no\b|nope|nah|not (?:yet|now|really)|don't|do not|never|stop\b|cancel|wait\b|いいえ|いや|やめ|だめ|ダメ|しない|待って|不(?:要|行|用|好|同意|是)|别|別|先不|算了|等等)",
    )
});

/// The places that count: the user's own words, and the proposals they agree to. None where only an agent spoke, or where a bare
/// "yes" comes without what it answers.
pub(super) fn of(places: Vec<Place>, said: &[Said<'_>]) -> Vec<Place> {
    let is_user = |place: &Place| said[place.turn].turn.role == Role::User;
    let (users, others): (Vec<_>, Vec<_>) = places.into_iter().partition(is_user);
    let agrees: Vec<usize> = users
        .iter()
        .map(|place| place.turn)
        .filter(|turn| !REFUSAL.is_match(&said[*turn].turn.content.replace('’', "'")))
        .collect();
    // A proposal is answered by the next turn of a user.
    let answered = |proposal: &Place| {
        let next = (proposal.turn + 1..said.len()).find(|turn| said[*turn].turn.role == Role::User);
        next.is_some_and(|turn| agrees.contains(&turn))
    };
    let proposals: Vec<Place> = others.into_iter().filter(answered).collect();
    let bare =
        |place: &Place| BARE.is_match(&said[place.turn].slice(&place.range).replace('’', "'"));
    if proposals.is_empty() && users.iter().all(bare) {
        return Vec::new();
    }
    users.into_iter().chain(proposals).collect()
}
