// Encodes the data of a Pub/Sub message.

/** Bytes are unchanged, any other value is encoded as JSON. */
export function messageBytes(data: unknown): Buffer {
  return Buffer.from(data instanceof Uint8Array ? data : JSON.stringify(data));
}
