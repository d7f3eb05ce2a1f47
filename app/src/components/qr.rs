//! A QR code, drawn by the server: dark on light in both themes, since not every camera reads it the other way round.

use leptos::prelude::*;
use qrcodegen::{QrCode, QrCodeEcc};

/// The light edge that a reader needs around it, in modules.
const EDGE: i32 = 4;

/// The code of a text, `label` says in words what it is; nothing where the text is too long for one.
pub fn qr(what: &str, label: &str) -> Option<AnyView> {
    let code = QrCode::encode_text(what, QrCodeEcc::Medium).ok()?;
    let size = code.size() + 2 * EDGE;
    Some(
        view! {
            <svg class="qr" viewBox=format!("0 0 {size} {size}") role="img" aria-label=label.to_owned()>
                <rect class="light" width=size.to_string() height=size.to_string() />
                <path class="dark" d=dark(&code) />
            </svg>
        }
        .into_any(),
    )
}

/// The dark modules as one path, a square each.
fn dark(code: &QrCode) -> String {
    let all = (0..code.size()).flat_map(|y| (0..code.size()).map(move |x| (x, y)));
    all.filter(|&(x, y)| code.get_module(x, y))
        .map(|(x, y)| format!("M{} {}h1v1h-1z", x + EDGE, y + EDGE))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dark_module_is_a_square_within_the_light_edge() {
        let code = QrCode::encode_text("otpauth://totp/Keepsake", QrCodeEcc::Medium).unwrap();
        let path = dark(&code);
        let squares: Vec<(i32, i32)> = path
            .split_terminator("h1v1h-1z")
            .map(|square| {
                let (x, y) = square.strip_prefix('M').unwrap().split_once(' ').unwrap();
                (x.parse().unwrap(), y.parse().unwrap())
            })
            .collect();
        for y in 0..code.size() + 2 * EDGE {
            for x in 0..code.size() + 2 * EDGE {
                // Outside of the code the library says light.
                let wanted = code.get_module(x - EDGE, y - EDGE);
                assert_eq!(squares.contains(&(x, y)), wanted, "{x} {y}");
            }
        }
        // The corner of the first finder pattern.
        assert!(squares.contains(&(EDGE, EDGE)) && !squares.contains(&(EDGE + 1, EDGE + 1)));
    }

    #[test]
    fn a_text_that_no_code_holds_is_left_out() {
        assert!(qr(&"a".repeat(5000), "").is_none());
    }
}
