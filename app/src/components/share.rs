//! Shares in per cent.

use crate::text::Text;

/// A share in whole per cent. Only all is 100 %, and only nothing is 0 %: a figure that was rounded there would lie.
pub fn percent(text: &Text, share: f64) -> String {
    let whole = (share.clamp(0.0, 1.0) * 100.0).round();
    if share > 0.0 && whole < 1.0 {
        return text.quality.under_one_percent.to_owned();
    }
    let most = if share < 1.0 { 99.0 } else { 100.0 };
    (text.quality.percent)(whole.min(most) as u64)
}

/// The same of what may not be known.
pub fn percent_of(text: &Text, share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| percent(text, share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Language;

    // F11
    #[test]
    fn only_all_is_a_hundred_per_cent_and_only_nothing_is_none() {
        let of = |share| percent(Language::English.text(), share);
        assert_eq!([of(0.0), of(0.5), of(1.0)], ["0 %", "50 %", "100 %"]);
        assert_eq!([of(0.999), of(0.004)], ["99 %", "under 1 %"]);
        assert_eq!(percent_of(Language::Japanese.text(), None), "–");
    }
}
