//! Runs wasm-bindgen as a library, so that nobody has to install its program.

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, folder, name] = arguments.as_slice() else {
        eprintln!("usage: xtask-wasm INPUT.wasm FOLDER NAME");
        std::process::exit(2);
    };
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen
        .input_path(input)
        .out_name(name)
        .typescript(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        // The glue may then find the module beside itself.
        .omit_default_module_path(false);
    let done = bindgen
        .web(true)
        .and_then(|bindgen| bindgen.generate(folder));
    if let Err(error) = done {
        eprintln!("wasm-bindgen: {error:?}");
        std::process::exit(1);
    }
}
