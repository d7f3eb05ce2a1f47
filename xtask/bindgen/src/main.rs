//! The wasm-bindgen step as a program: `bindgen FILE.wasm FOLDER` writes `keepsake.js` and `keepsake_bg.wasm`.
//!
//! A package of its own because it takes longer to build than everything else in `xtask`, and as a library because
//! the command-line tool of the same version would have to be installed apart from Cargo.lock.

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let (Some(wasm), Some(folder)) = (args.next(), args.next()) else {
        anyhow::bail!("usage: bindgen FILE.wasm FOLDER");
    };
    wasm_bindgen_cli_support::Bindgen::new()
        .input_path(wasm)
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .out_name("keepsake")
        .generate(folder)
}
