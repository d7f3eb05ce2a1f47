//! The REST API and the pages' sign-in over real HTTP, on both databases.

mod agent_pages;
mod canary;
mod course;
mod house;
mod idempotency;
mod isolation;
mod journey;
mod net;
mod openapi;
mod pages;
mod permissions;
mod profiles;
mod redact;
mod refusals;
mod schema;
mod settings;
mod sign_in;
