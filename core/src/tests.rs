//! The window and its filters against naive twins, by random operations and by those of a fuzzer.

#[cfg(all(test, loom))]
mod models;
mod filters;
mod naive;
mod naive_claims;
pub(crate) mod operations;
#[cfg(test)]
mod sequences;
mod subject;

/// Reads a fuzzer's bytes as JSON: up to a NUL they are a pointer.
#[cfg(feature = "json")]
pub fn read_json(bytes: &[u8]) {
    crate::json::check(bytes);
}

/// Plays the operations that a fuzzer's bytes stand for on a window and on its twin, which must agree.
pub fn play(bytes: &[u8]) {
    use operations::Random::Bytes;
    // Bloom and cuckoo take a part each: building a filter is most of the work for few bytes.
    match bytes.split_first() {
        Some((0..=23, rest)) => operations::run_bloom(Bytes(rest), u64::MAX),
        Some((24..=47, rest)) => operations::run_cuckoo(Bytes(rest), u64::MAX),
        _ => {
            operations::run::<subject::Plain<crate::Exact>>(Bytes(bytes), u64::MAX);
            #[cfg(feature = "std")]
            operations::run::<subject::Sharded<crate::Exact>>(Bytes(bytes), u64::MAX);
        }
    }
}
