//! The binary `keepsake`: configuration, command line, HTTP.
//!
//! [`serve`] is the composition of one process; [`api`] answers agents, and so do `mcp` and [`compat`]; `pages` answers people; [`auth`] says who asks.

// First, so that its macros are known below.
#[macro_use]
mod out;

pub mod api;
pub mod auth;
pub mod cli;
pub mod compat;
pub mod compose;
pub mod config;
pub mod flash;
pub mod http;
mod live;
mod log;
mod mcp;
pub mod page_error;
pub mod pages;
pub mod problem;
pub mod render;
pub mod serve;
pub mod state;
pub mod stop;
