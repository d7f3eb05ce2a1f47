//! The reader's time zone. A server cannot ask for it, so the desk tells it by a cookie; pages that were drawn before name UTC.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    HtmlDocument,
    js_sys::{Array, Intl, Object, Reflect},
};

use super::dom;

/// Tells the zone for a year.
pub fn tell() {
    let format = Intl::DateTimeFormat::new(&Array::new(), &Object::new());
    let zone = Reflect::get(&format.resolved_options(), &JsValue::from_str("timeZone"));
    let zone = zone.ok().and_then(|zone| zone.as_string());
    if let (Some(zone), Ok(document)) = (zone, dom::document().dyn_into::<HtmlDocument>()) {
        let cookie = format!("keepsake_zone={zone}; Path=/; Max-Age=31536000; SameSite=Lax");
        let _ = document.set_cookie(&cookie);
    }
}
