// Reads messages of the protocol whose texts are what they say: invalid UTF-8 is refused, where protobufjs puts U+FFFD in
// its place, so that what is stored would not be what was sent.

import { isUtf8 } from 'node:buffer';
import protobuf from 'protobufjs/light.js';

export class StrictReader extends protobuf.BufferReader {
  /** @throws Error for bytes that are no UTF-8. */
  override string(): string {
    const start = this.pos;
    const text = super.string();
    if (!text.includes('\ufffd')) return text;
    // The text may hold this character itself.
    this.pos = start;
    if (!isUtf8(this.bytes())) throw new Error('a text is not valid UTF-8');
    return text;
  }
}
