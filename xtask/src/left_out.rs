//! What could not be tried here, because what it needs cannot be installed: no reason to try nothing else, and no success.

use std::env;

use anyhow::{Result, bail};

/// Set to anything, it lets what was left out pass.
const LET_PASS: &str = "KEEPSAKE_LEFT_OUT_IS_FINE";

/// Says what was left out, last of all.
///
/// # Errors
/// Something was, and `KEEPSAKE_LEFT_OUT_IS_FINE` is not set.
pub fn tell(left_out: &[String]) -> Result<()> {
    for what in left_out {
        println!("!! NOT TRIED, because what it needs cannot be installed here: {what}");
    }
    if left_out.is_empty() || env::var_os(LET_PASS).is_some() {
        return Ok(());
    }
    bail!(
        "everything else went well, but not everything could be tried; {LET_PASS}=1 lets that pass"
    )
}
