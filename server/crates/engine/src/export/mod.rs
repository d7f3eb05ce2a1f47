//! Exports (E4): what a bundle holds, and whether one is what it claims to be. `docs/EXPORTS.md` tells the form to whoever reads one.

mod ask;
pub mod bundle;
mod copy;
mod expire;
mod files;
mod import;
mod read;
mod report;
mod table;
mod then;
pub mod verify;
mod words;
mod work;
mod write;
mod zip;

pub use self::{
    ask::NewExport,
    import::{ImportError, Imported, ImportedAgent, SignedBy},
    read::{ExportKey, ExportView, ExportedFile, ExportedPart, Fetched},
};
pub(crate) use self::{
    ask::{agent, present},
    table::spreadsheet,
};
