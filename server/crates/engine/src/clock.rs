//! The one place that reads the time and the operating system's randomness.

use std::sync::Mutex;

use domain::{Entropy, Timestamp, time::Span};

/// Where the time comes from.
pub trait Clock: Send + Sync {
    /// Now, in UTC with microseconds.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the time"
    )]
    fn now(&self) -> Timestamp {
        domain::time::micros(chrono::Utc::now())
    }
}

/// A clock that stands until it is moved: seven days pass in a test when the test says so.
#[derive(Debug)]
pub struct ManualClock(Mutex<Timestamp>);

impl ManualClock {
    /// Stands at `at`.
    pub fn new(at: Timestamp) -> Self {
        Self(Mutex::new(domain::time::micros(at)))
    }

    /// Moves it on.
    pub fn advance(&self, by: Span) {
        *self.lock() += by;
    }

    /// Sets it.
    pub fn set(&self, at: Timestamp) {
        *self.lock() = domain::time::micros(at);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Timestamp> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.lock()
    }
}

/// The operating system's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsEntropy;

impl Entropy for OsEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system gives random bytes");
    }
}
