//! The small parts that pages are made of. Each is a function from data to a view.

pub mod bar;
pub mod chart;
pub mod content;
pub mod demo;
pub mod diff;
pub mod empty;
pub mod first_steps;
pub mod form;
pub mod keys;
pub mod metadata;
pub mod notice;
pub mod palette;
pub mod qr;
pub mod sessions;
pub mod share;
pub mod snippets;
pub mod source;
pub mod table;
pub mod tag;
pub mod time;
pub mod transcript;
