//! The use cases on both databases: a real database, a clock that is moved by hand, an extractor that says what a test wrote down.

mod audit;
mod builtin_cases;
mod change_of_mind;
mod context;
mod crash;
mod gate_cases;
mod ingest;
mod many;
mod model;
mod people;
mod queue;
mod random;
mod review;
mod stop;
mod time;
mod world;
