//! The small parts that pages are made of. Each is a function from data to a view.

pub mod bar;
pub mod chart;
pub mod content;
pub mod diff;
pub mod empty;
pub mod form;
pub mod keys;
pub mod metadata;
pub mod notice;
pub mod source;
pub mod tag;
pub mod time;
pub mod transcript;
