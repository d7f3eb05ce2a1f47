//! The real binary as its users run it: the command line, and processes that are killed in the middle of their work.

mod audit;
mod backup;
mod cli;
mod crash;
mod erasure;
mod hooks;
mod installation;
mod log;
mod model;
mod peer;
mod replicas;
#[path = "../search/mod.rs"]
mod search;
