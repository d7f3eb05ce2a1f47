//! How many requests a key may make, told in every answer (draft-ietf-httpapi-ratelimit-headers).

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use governor::{
    Quota, RateLimiter,
    clock::{Clock, MonotonicClock},
    middleware::StateInformationMiddleware,
    state::keyed::DashMapStateStore,
};

use crate::{config::LimitsConfig, problem::Problem};

/// The buckets of the keys. Each process counts for itself: with N replicas a key may make N times as many.
pub struct Limiter {
    buckets:
        RateLimiter<String, DashMapStateStore<String>, MonotonicClock, StateInformationMiddleware>,
    quota: Quota,
}

/// What the answer's headers say.
pub struct Allowance {
    limit: u32,
    left: u32,
    /// Seconds until the bucket is full again.
    full_in: u64,
}

impl Limiter {
    /// Buckets of the configured size.
    pub fn new(limits: &LimitsConfig) -> Self {
        Self::of(Quota::per_second(limits.requests_per_second).allow_burst(limits.burst))
    }

    /// Buckets of any size.
    pub fn of(quota: Quota) -> Self {
        Self {
            buckets: RateLimiter::dashmap_with_clock(quota, MonotonicClock).with_middleware(),
            quota,
        }
    }

    /// Takes one from the bucket of `key`.
    ///
    /// # Errors
    /// It is empty: 429 with `Retry-After`.
    pub fn take(&self, key: &str) -> Result<Allowance, Problem> {
        // Buckets that are full again tell nothing; without this the map would keep every key ever seen.
        if self.buckets.len() > 10_000 {
            self.buckets.retain_recent();
        }
        match self.buckets.check_key(&key.to_owned()) {
            Ok(state) => Ok(self.allowance(state.remaining_burst_capacity())),
            Err(refused) => {
                let wait = refused.wait_time_from(MonotonicClock.now());
                let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
                let mut problem = Problem::new(
                    StatusCode::TOO_MANY_REQUESTS,
                    "throttled",
                    format!("This key may make no more requests for {seconds} s."),
                )
                .with(header::RETRY_AFTER, HeaderValue::from(seconds));
                for (name, value) in self.allowance(0).headers() {
                    problem = problem.with(name, value);
                }
                Err(problem)
            }
        }
    }

    fn allowance(&self, left: u32) -> Allowance {
        let limit = self.quota.burst_size().get();
        let missing = limit.saturating_sub(left);
        let full_in = self.quota.replenish_interval() * missing;
        Allowance {
            limit,
            left,
            full_in: full_in.as_secs_f64().ceil() as u64,
        }
    }
}

impl Allowance {
    /// Writes the headers.
    pub fn write(&self, headers: &mut HeaderMap) {
        headers.extend(self.headers());
    }

    fn headers(&self) -> [(HeaderName, HeaderValue); 2] {
        let Self {
            limit,
            left,
            full_in,
        } = self;
        let value = |text: String| HeaderValue::from_str(&text).expect("digits and ASCII");
        [
            (
                HeaderName::from_static("ratelimit-policy"),
                value(format!("\"key\";q={limit}")),
            ),
            (
                HeaderName::from_static("ratelimit"),
                value(format!("\"key\";r={left};t={full_in}")),
            ),
        ]
    }
}
