//! The REST API and the pages' sign-in over real HTTP, on both databases.

mod agent_pages;
mod audit;
mod bulks;
mod canary;
mod course;
mod demo;
mod desk;
mod exports;
mod figures;
mod house;
mod idempotency;
mod isolation;
mod journey;
mod live;
mod net;
mod openapi;
mod pages;
mod people;
mod permissions;
mod profiles;
mod redact;
mod refusals;
mod schema;
mod settings;
mod sign_in;
mod two_people;
