// The data of a Pub/Sub message.

/** Bytes as they are, anything else as JSON. */
export function messageBytes(data: unknown): Buffer {
  return Buffer.from(data instanceof Uint8Array ? data : JSON.stringify(data));
}
