#![doc = include_str!("../README.md")]
//!
//! # The way of an event
//!
//! Modules are presented in the order in which an event passes them: an [`Id`] becomes a [`Fingerprint`], which a
//! [`Window`] looks for in its [`Memory`] at a time ([`Millis`]), and answers with a [`Verdict`].
//!
//! Without the default feature `std` the crate is `no_std` (it needs `alloc`), and the caller brings the time.
#![no_std]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod clock;
mod config;
mod error;
mod fingerprint;
mod id;
mod memory;
mod ring;
mod siphash;
mod stats;
#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
mod tests;
mod time;
mod verdict;
mod window;

pub use clock::Steady;
#[cfg(feature = "std")]
pub use clock::SteadyClock;
pub use config::{Config, OnFull, Span};
pub use error::{Error, ERROR_CODES};
pub use fingerprint::{fingerprint, Composite, Fingerprint, Fingerprinter, Secret};
pub use id::{utf8_from_utf16, Id, Part};
pub use memory::{Exact, Memory};
pub use stats::Stats;
pub use time::{Millis, Now};
pub use verdict::Verdict;
pub use window::Window;
