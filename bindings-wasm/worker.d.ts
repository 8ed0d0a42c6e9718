export * from "./index.js";

/** A module that the host compiled, or its bytes. */
export type Compilable = WebAssembly.Module | ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/** Also from where to fetch it. */
export type Source = Compilable | string | URL | Response;

/**
 * Takes the module; must come before everything else. Does nothing the second time.
 *
 * ```js
 * import module from "firstseen-wasm/firstseen.wasm"; // a WebAssembly.Module in workers
 * initSync({ module });
 * ```
 */
export function initSync(options: { readonly module: Compilable }): void;

/** The same where the module must be fetched or compiled first. */
export function init(source: Source | Promise<Source>): Promise<void>;
