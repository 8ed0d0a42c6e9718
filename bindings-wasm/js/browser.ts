import { init } from "./init";

export * from "./api";

await init(new URL("./firstseen.wasm", import.meta.url));
