// Decodes messages and refuses invalid UTF-8. protobufjs replaces it by U+FFFD, and the stored text would differ from the
// sent one.

import { isUtf8 } from 'node:buffer';
import protobuf from 'protobufjs/light.js';

/** A reader of protobufjs that refuses invalid UTF-8. */
export class StrictReader extends protobuf.BufferReader {
  /** @throws Error for bytes that are no UTF-8. */
  override string(): string {
    const start = this.pos;
    const text = super.string();
    if (!text.includes('\ufffd')) return text;
    // The text can contain this character itself.
    this.pos = start;
    if (!isUtf8(this.bytes())) throw new Error('a text is not valid UTF-8');
    return text;
  }
}
