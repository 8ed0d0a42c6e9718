#![doc = include_str!("../README.md")]
//!
//! # The way of an event
//!
//! Modules are presented in the order in which an event passes them: an [`Id`] becomes a [`Fingerprint`], which a
//! [`Window`] looks for in its [`Memory`] at a time ([`Millis`]), and answers with a [`Verdict`]. Where producers number their events,
//! [`Sequences`] answer with a number for each producer instead.
//!
//! Without the default feature `std` the crate is `no_std` (it needs `alloc`), and the caller brings the time.
#![no_std]

extern crate alloc;
#[cfg(any(feature = "std", test, fuzzing))]
extern crate std;

mod id;
mod fingerprint;
mod generations;
#[cfg(feature = "json")]
mod json;
mod siphash;
mod time;
mod clock;
mod window;
mod any;
#[cfg(feature = "std")]
mod sharded;
mod sequences;
mod ring;
mod memory;
mod claims;
mod verdict;
mod stats;
mod metrics;
pub mod sizing;
mod config;
mod error;
#[cfg(any(test, fuzzing))]
#[cfg_attr(
    fuzzing,
    doc(hidden),
    allow(dead_code, missing_docs, reason = "the fuzzer uses a part")
)]
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
pub mod tests;

pub use any::{AnyConfig, AnySize, AnyWindow};
pub use claims::{Claim, Token};
pub use clock::Steady;
#[cfg(feature = "std")]
pub use clock::SteadyClock;
pub use config::{Cap, Config, Load, OnFull, Span};
pub use error::{Error, ERROR_CODES};
pub use fingerprint::{fingerprint, Composite, Fingerprint, Fingerprinter, Key, Secret};
pub use id::{utf8_from_utf16, Id, Part};
#[cfg(feature = "json")]
pub use json::{fingerprint_json, JsonOptions};
pub use memory::{Bloom, Cuckoo, Exact, Memory};
pub use metrics::OpenMetrics;
pub use sequences::{SequenceStats, SequenceVerdict, Sequences, SequencesConfig};
#[cfg(feature = "std")]
pub use sharded::ShardedWindow;
pub use stats::Stats;
pub use time::{Millis, Now};
pub use verdict::Verdict;
pub use window::{Guard, ReadFilter, Window};
