//! The binary `keepsake`: configuration, command line, HTTP.

pub mod config;
