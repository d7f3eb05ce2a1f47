//! The stylesheet: every file under `style/`, in a fixed order, as one file of cascade layers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The layers, weakest first: a single file of that name, or a folder of files in the order of their names.
const LAYERS: [&str; 5] = ["tokens", "base", "layout", "components", "pages"];

/// Writes `keepsake.css` in `target/site/assets` when it would change.
///
/// # Errors
/// A file cannot be read or written.
pub fn bundle(style: &Path, to: &Path) -> Result<()> {
    let mut css = format!("@layer {};\n", LAYERS.join(", "));
    for layer in LAYERS {
        for file in files_of(style, layer)? {
            let text =
                fs::read_to_string(&file).with_context(|| format!("read {}", file.display()))?;
            let text = text.trim();
            if text.contains("@layer ") {
                css.push_str(&format!("{text}\n"));
            } else {
                css.push_str(&format!("@layer {layer} {{\n{text}\n}}\n"));
            }
        }
    }
    if fs::read_to_string(to).is_ok_and(|old| old == css) {
        return Ok(());
    }
    fs::write(to, css).with_context(|| format!("write {}", to.display()))
}

fn files_of(style: &Path, layer: &str) -> Result<Vec<PathBuf>> {
    let single = style.join(format!("{layer}.css"));
    let mut files: Vec<PathBuf> = single.exists().then_some(single).into_iter().collect();
    if let Ok(folder) = fs::read_dir(style.join(layer)) {
        let mut inner: Vec<PathBuf> = folder
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_>>()?;
        inner.retain(|path| path.extension().is_some_and(|end| end == "css"));
        inner.sort();
        files.append(&mut inner);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_come_in_their_order_whatever_the_names() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("keepsake-styles-{}", std::process::id()));
        fs::create_dir_all(folder.join("components"))?;
        fs::write(folder.join("tokens.css"), "a{}")?;
        fs::write(folder.join("components/z.css"), "z{}")?;
        fs::write(folder.join("components/b.css"), "@layer components { b{} }")?;
        let to = folder.join("out.css");
        bundle(&folder, &to)?;
        let css = fs::read_to_string(&to)?;
        fs::remove_dir_all(&folder)?;
        assert_eq!(
            css,
            "@layer tokens, base, layout, components, pages;\n@layer tokens {\na{}\n}\n@layer components { b{} }\n@layer components {\nz{}\n}\n"
        );
        Ok(())
    }
}
