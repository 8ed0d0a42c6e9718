//! The window against a naive twin, by random operations.

mod naive;
mod operations;
