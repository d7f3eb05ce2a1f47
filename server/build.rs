//! A release binary holds the site; a debug build reads it from disk when it is asked for it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("PROFILE").as_deref() == Ok("release") {
        println!("cargo:rerun-if-changed=../target/site");
    }
}
