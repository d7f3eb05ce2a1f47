//! Child processes, and the lines that tell a person which step is on and how long it took.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Does one step: a line before it, the seconds after it, and the step's name on its error.
pub fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("· {what}");
    flush();
    let started = Instant::now();
    let done = work().with_context(|| what.to_owned())?;
    println!("  {:.1} s", started.elapsed().as_secs_f64());
    flush();
    Ok(done)
}

fn flush() {
    // A closed stdout must not stop a build.
    let _ = std::io::stdout().flush();
}

/// The cargo that runs this program, with messages that do not depend on the machine's language.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Set by `cargo run` for this program; a child cargo would hand them on to build scripts and rebuild for nothing.
    for name in [
        "CARGO_MANIFEST_DIR",
        "CARGO_MANIFEST_PATH",
        "CARGO_PKG_NAME",
        "CARGO_PKG_VERSION",
    ] {
        command.env_remove(name);
    }
    command
}

/// Runs to the end with this terminal.
///
/// # Errors
/// The program cannot be started, or ends with anything but 0.
pub fn call(command: &mut Command) -> Result<()> {
    let name = shown(command);
    let status = command
        .status()
        .with_context(|| format!("start `{name}`"))?;
    if !status.success() {
        bail!("`{name}` ended with {status}");
    }
    Ok(())
}

/// Runs to the end and gives its standard output.
///
/// # Errors
/// As [`call`].
pub fn output(command: &mut Command) -> Result<String> {
    let name = shown(command);
    let done = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("start `{name}`"))?;
    if !done.status.success() {
        bail!("`{name}` ended with {}", done.status);
    }
    String::from_utf8(done.stdout).with_context(|| format!("read what `{name}` printed"))
}

/// True when the program can be started and ends with 0; its output is dropped.
pub fn works(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Runs to the end, but no longer than `limit`; then it is killed.
///
/// # Errors
/// As [`call`], and when the time is over.
pub fn call_within(command: &mut Command, limit: Duration) -> Result<()> {
    let name = shown(command);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("start `{name}`"))?;
    let Some(mut stdout) = child.stdout.take() else {
        bail!("`{name}` has no output")
    };
    let (ended, end) = mpsc::channel();
    // The pipe closes when the child ends: that is the event to wait for.
    std::thread::spawn(move || {
        let _ = stdout.read_to_end(&mut Vec::new());
        let _ = ended.send(());
    });
    if end.recv_timeout(limit).is_err() {
        kill(&mut child)?;
        bail!("`{name}` did not answer within {} s", limit.as_secs());
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("`{name}` ended with {status}");
    }
    Ok(())
}

fn kill(child: &mut Child) -> Result<()> {
    child.kill().context("stop a child process")?;
    child.wait().context("wait for a child process")?;
    Ok(())
}

/// The program and its arguments, for messages.
fn shown(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_hangs_is_stopped_and_named() {
        let error = call_within(
            Command::new("sh").args(["-c", "exec sleep 600"]),
            Duration::from_millis(50),
        )
        .unwrap_err();
        assert!(error.to_string().contains("sleep 600"), "{error}");
    }

    #[test]
    fn a_failed_child_is_an_error_with_its_name() {
        let error = call(&mut Command::new("false")).unwrap_err();
        assert!(
            error.to_string().starts_with("`false` ended with"),
            "{error}"
        );
    }
}
