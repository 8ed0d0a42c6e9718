//! The window against a naive twin, by random operations and by those of a fuzzer.

#[cfg(all(test, loom))]
mod models;
mod naive;
mod operations;
#[cfg(test)]
mod sequences;
mod subject;

/// Plays the operations that a fuzzer's bytes stand for on a window and on its twin, which must agree.
pub fn play(bytes: &[u8]) {
    operations::run::<subject::Plain<crate::Exact>>(operations::Random::Bytes(bytes), u64::MAX);
    #[cfg(feature = "std")]
    operations::run::<subject::Sharded<crate::Exact>>(operations::Random::Bytes(bytes), u64::MAX);
}
