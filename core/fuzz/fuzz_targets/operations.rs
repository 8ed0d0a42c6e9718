//! Operations on a window and on its naive twin, which must agree; every structure is validated after each.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| firstseen::tests::play(bytes));
