"use strict";
// Arrays as the page has them: {shape, scale, offset, data: base64 of little-endian int16}; -32768 is "not known".
function unpack(packed) {
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const values = new Float64Array(bytes.length / 2);
  for (let i = 0; i < values.length; i++) {
    const whole = view.getInt16(2 * i, true);
    values[i] = whole === -32768 ? NaN : packed.offset + packed.scale * whole;
  }
  return values;
}
