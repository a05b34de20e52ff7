// Limits how much of one answer of a server is read: it is counted while it arrives, after decompression.

/** Bytes of one answer. A result is cut to 400 kB at most, and a list of tools to less. */
export const MAX_ANSWER_BYTES = 8_000_000;

/** Our error code for an answer that was not read to its end, in the range that JSON-RPC leaves to implementations. */
export const ANSWER_TOO_LARGE = -32_051;

/** What is said of such an answer. */
export const TOO_LARGE_MESSAGE = `its answer has more than ${MAX_ANSWER_BYTES} bytes and was not read to its end`;

/**
 * The response with a body that fails behind the limit, which also ends the connection.
 * @param onTooLarge called before it fails.
 */
export function limitBody(response: Response, onTooLarge: () => void): Response {
  if (!response.ok || response.body === null) return response;
  let received = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      received += chunk.length;
      if (received <= MAX_ANSWER_BYTES) return controller.enqueue(chunk);
      onTooLarge();
      throw new RangeError(TOO_LARGE_MESSAGE);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
}
