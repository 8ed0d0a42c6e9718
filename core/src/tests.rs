//! The window against a naive twin, by random operations and by those of a fuzzer.

mod naive;
mod operations;

/// Plays the operations that a fuzzer's bytes stand for on a window and on its twin, which must agree.
pub fn play(bytes: &[u8]) {
    operations::run::<crate::Exact>(operations::Random::Bytes(bytes), u64::MAX);
}
