//! Link arguments for the systems where an addon's symbols come from the host program.

fn main() {
    napi_build::setup();
}
