// OpenMetrics text, as the vectors write it.

export function linesOf(api, windows, ...now) {
  const text = api.openMetrics(windows, ...now);
  if (!text.endsWith("\n")) throw new Error("the last line is not ended");
  // How many bytes there are depends on the machine.
  return text.slice(0, -1).split("\n").map((line) => line.replace(/^(\w*memory_bytes\{.*\}) \d+$/, "$1 *"));
}
