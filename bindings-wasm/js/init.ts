import { isLoaded, load } from "./engine";

/** As declared in `worker.d.ts`. */
type Compilable = WebAssembly.Module | ArrayBuffer | ArrayBufferView<ArrayBuffer>;
type Source = Compilable | string | URL | Response;

/** By its tag and not `instanceof`, which a module from another realm fails. */
function isModule(source: Compilable): source is WebAssembly.Module {
  return Object.prototype.toString.call(source) === "[object WebAssembly.Module]";
}

export function initSync({ module }: { readonly module: Compilable }): void {
  if (!isLoaded()) load(isModule(module) ? module : new WebAssembly.Module(module));
}

let loading: Promise<void> | undefined;

export function init(source: Source | Promise<Source>): Promise<void> {
  if (isLoaded()) return Promise.resolve();
  loading ??= fetched(source).then(
    (module) => initSync({ module }),
    (error: unknown) => {
      // Another try may succeed.
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

async function fetched(given: Source | Promise<Source>): Promise<WebAssembly.Module> {
  const source = await given;
  if (typeof source === "string" || source instanceof URL) return compiled(await fetch(source));
  if (source instanceof Response) return compiled(source);
  return isModule(source) ? source : WebAssembly.compile(source);
}

async function compiled(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`firstseen-wasm: fetching the module failed with ${response.status} ${response.statusText}`);
  // Not by streaming: that needs a server which names the module's type, and the module is small.
  return WebAssembly.compile(await response.arrayBuffer());
}
