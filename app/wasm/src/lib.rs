//! What the browser loads: the island of `app`, and nothing else.

use wasm_bindgen::prelude::wasm_bindgen;

/// Called by the page once the module is there; the page then hydrates its islands one by one.
#[wasm_bindgen]
pub fn hydrate() {
    #[expect(
        unused_imports,
        reason = "without a use of the crate the linker drops its islands"
    )]
    use app::*;
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_islands();
}
