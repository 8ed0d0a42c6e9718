//! The configurations of filters: what is known of the ids says how large they are.

use super::{closes_at, Config, OnFull, Span};
use crate::error::Error;
use crate::memory::{Bloom, Cuckoo};
use crate::sizing::{BloomSize, CuckooSize, MAX_GENERATIONS};
use crate::time::Millis;
use crate::window::Window;

impl Config<Bloom> {
    /// Builds the window, and allocates all that it will ever need for ids.
    ///
    /// # Errors
    /// `invalid_time` and `invalid_config` for durations as in an exact window; `invalid_config` for a bucket shorter than a seventh of
    /// the window, for an `expected_ids` of 0 or beyond 2^32 lines, for a `false_drop_rate` outside 1e-6 to 0.5, and for
    /// `evict_oldest`; `out_of_memory`.
    pub fn build(self) -> Result<Window<Bloom>, Error> {
        let mut span = self.span;
        if let Span::Window { window, bucket } = &mut span {
            // As many generations as there can be, so that an id is forgotten as soon as possible after the window.
            bucket.get_or_insert(Millis(window.0.div_ceil(MAX_GENERATIONS - 1)));
        }
        let geometry = span.geometry()?;
        let load = self.size;
        let size = BloomSize::new(load.expected_ids, geometry.buckets, load.false_drop_rate)?;
        if self.on_full == OnFull::EvictOldest {
            return Err(self.wrong_policy("`degrade` or `reject` in a Bloom filter"));
        }
        let valid = self.valid(geometry, None, None)?;
        Ok(Window::with_memory(valid, Bloom::new(size)?))
    }
}

impl Config<Cuckoo> {
    /// Builds the window, and allocates all that it will ever need for ids.
    ///
    /// # Errors
    /// `invalid_time` and `invalid_config` for durations and buckets as in an exact window, with at most 186 buckets for
    /// `evict_oldest`; `invalid_config` for an `expected_ids` of 0 or beyond 2^32 lines, for a `false_drop_rate` outside
    /// 1e-10 to 0.5, and for `degrade`; `out_of_memory`.
    pub fn build(self) -> Result<Window<Cuckoo>, Error> {
        let geometry = self.span.geometry()?;
        let load = self.size;
        let size = CuckooSize::new(load.expected_ids, geometry.buckets, load.false_drop_rate)?;
        let closes_at = match self.on_full {
            OnFull::Reject => None,
            OnFull::EvictOldest => Some(closes_at(size.held)),
            OnFull::Degrade => {
                return Err(self.wrong_policy("`reject` or `evict_oldest` in a cuckoo filter"))
            }
        };
        let valid = self.valid(geometry, None, closes_at)?;
        Ok(Window::with_memory(valid, Cuckoo::new(size)?))
    }
}
