// The cases of payloads as ids.

import { idOf, ofHex } from "./values.mjs";

/** What is wrong with `fingerprintJson`, if anything. */
export function payloadDiffers(api, test, form, { outcome }) {
  const options = {};
  for (const name of ["ignore", "only"]) {
    if (test[name] !== undefined) options[name] = Array.isArray(test[name]) ? [...test[name]] : idOf(test[name], form);
  }
  if (test.secret !== undefined) options.secret = ofHex(test.secret);
  const given = Object.keys(options).length === 0 ? [] : [options];
  const payload = idOf(test.payload, form);
  // A text is tried as the bytes from the wire too.
  const payloads = test.payload.text === undefined ? [payload] : [payload, form.bytes(new TextEncoder().encode(payload))];
  const want = test.error ?? test.fingerprint;
  for (const one of payloads) {
    const got = outcome(api, () => {
      const bytes = api.fingerprintJson(one, ...given);
      if (!(bytes instanceof Uint8Array)) throw new Error("a fingerprint that is no Uint8Array");
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    });
    const is = got.error ?? got.returns;
    if (is !== want) return { step: "fingerprintJson", got: is, want };
  }
  return undefined;
}
