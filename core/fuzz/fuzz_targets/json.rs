//! Texts of JSON and pointers into them: nothing panics, and what is read has a canonical form that is its own.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| firstseen::tests::read_json(bytes));
