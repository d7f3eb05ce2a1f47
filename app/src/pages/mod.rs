//! The pages, a file each: plain data in, a document out.

pub mod account;
pub mod admin;
pub mod agent;
pub mod agents;
pub mod audit;
pub mod bulk;
pub mod candidate;
pub mod conversation;
pub mod decisions;
pub mod error;
pub mod exports;
pub mod help;
pub mod jobs;
pub mod keys;
pub mod kind;
pub mod memories;
pub mod memory;
pub mod overview;
pub mod quality;
pub mod review;
pub mod schema;
pub mod sign_in;
pub mod user;
pub mod users;
