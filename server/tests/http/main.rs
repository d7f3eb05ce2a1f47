//! The REST API and the pages' sign-in over real HTTP, on both databases.

mod canary;
mod house;
mod idempotency;
mod isolation;
mod journey;
mod net;
mod openapi;
mod pages;
mod permissions;
mod redact;
mod refusals;
mod schema;
mod sign_in;
