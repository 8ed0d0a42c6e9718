//! The configurations of filters: what is known of the ids says how large they are.

use super::{closes_at, Config, Load, OnFull, Span, Valid};
use crate::error::Error;
use crate::generations::Generations;
use crate::memory::{Bloom, Cuckoo};
use crate::ring::Closing;
use crate::sizing::{BloomSize, CuckooSize};
use crate::time::{Geometry, Millis};
use crate::window::Window;

/// Buckets in a Bloom filter's window when no width is given.
const BLOOM_BUCKETS: u64 = 63;

impl Load {
    /// With the ids of N−1 buckets, which last at least as long as the window.
    pub(crate) fn in_ring(self, geometry: &Geometry) -> Self {
        let whole = u128::from((geometry.buckets - 1) * geometry.bucket);
        let ids = u128::from(self.expected_ids) * whole;
        let expected_ids = ids.div_ceil(u128::from(geometry.window));
        Self {
            expected_ids: u64::try_from(expected_ids).unwrap_or(u64::MAX),
            ..self
        }
    }
}

impl Config<Bloom> {
    /// Builds the window, and allocates all that it will ever need for ids.
    ///
    /// # Errors
    /// `invalid_time` and `invalid_config` for durations and buckets as in an exact window; `invalid_config` for an `expected_ids` of 0
    /// or beyond 2^32 lines, for a `false_drop_rate` outside 1e-6 to 0.5, and for `evict_oldest`; `out_of_memory`.
    pub fn build(self) -> Result<Window<Bloom>, Error> {
        let (valid, size) = self.validate()?;
        Ok(Window::with_memory(valid, Bloom::new(size)?))
    }

    pub(crate) fn validate(self) -> Result<(Valid, BloomSize), Error> {
        let mut span = self.span;
        if let Span::Window { window, bucket } = &mut span {
            // A multiple of the seven generations that a window has.
            bucket.get_or_insert(Millis(window.0.div_ceil(BLOOM_BUCKETS)));
        }
        let geometry = span.geometry()?;
        let load = self.size.in_ring(&geometry);
        let size = BloomSize::new(load.expected_ids, geometry.buckets, load.false_drop_rate)?;
        self.has_no_bodies()?;
        if self.on_full == OnFull::EvictOldest {
            return Err(self.wrong_policy("`degrade` or `reject` in a Bloom filter"));
        }
        let rule = Generations::new(load.expected_ids, size.each, &geometry);
        let valid = self.valid(geometry, None, None, Closing::Generations(rule))?;
        Ok((valid, size))
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
        let (valid, size) = self.validate()?;
        Ok(Window::with_memory(valid, Cuckoo::new(size)?))
    }

    pub(crate) fn validate(self) -> Result<(Valid, CuckooSize), Error> {
        let geometry = self.span.geometry()?;
        let load = self.size.in_ring(&geometry);
        let size = CuckooSize::new(load.expected_ids, geometry.buckets, load.false_drop_rate)?;
        self.has_no_bodies()?;
        let closing = match self.on_full {
            OnFull::Reject => Closing::InTime,
            OnFull::EvictOldest => closes_at(size.held),
            OnFull::Degrade => {
                return Err(self.wrong_policy("`reject` or `evict_oldest` in a cuckoo filter"))
            }
        };
        let valid = self.valid(geometry, None, Some(size.most()), closing)?;
        Ok((valid, size))
    }
}
