//! A release binary holds the site; a debug build reads it from disk when it is asked for it.

fn main() {
    // The folder must be there when the program is compiled: a debug build remembers its real path, and gives out nothing that lies elsewhere.
    std::fs::create_dir_all("../target/site").expect("make target/site");
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("PROFILE").as_deref() == Ok("release") {
        println!("cargo:rerun-if-changed=../target/site");
    }
}
