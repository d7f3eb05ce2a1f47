//! What the command line says. The macros are std's by name, so that no command can forget them, but for one thing: where the reader has
//! gone, as `head` goes after its lines, what is left is for nobody, and the command goes on to its end. std's would panic in the middle.

use std::{
    fmt::Arguments,
    io::{self, ErrorKind, Write},
    process,
};

macro_rules! print {
    ($($what:tt)*) => {
        $crate::out::to_stdout(format_args!($($what)*))
    };
}

macro_rules! println {
    ($($what:tt)*) => {
        $crate::out::to_stdout(format_args!("{}\n", format_args!($($what)*)))
    };
}

macro_rules! eprintln {
    ($($what:tt)*) => {
        $crate::out::to_stderr(format_args!("{}\n", format_args!($($what)*)))
    };
}

/// Writes what a command was asked for. Where that fails for another reason than a reader that has gone, it was not done: the process
/// ends with 1.
pub fn to_stdout(what: Arguments<'_>) {
    if let Err(error) = io::stdout().write_fmt(what)
        && error.kind() != ErrorKind::BrokenPipe
    {
        eprintln!("keepsake: write to stdout: {error}");
        process::exit(1);
    }
}

/// Writes what a person is to know meanwhile, where somebody reads it.
pub fn to_stderr(what: Arguments<'_>) {
    let _ = io::stderr().write_fmt(what);
}
