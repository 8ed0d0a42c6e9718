export * from "./api";
export { init, initSync } from "./init";
