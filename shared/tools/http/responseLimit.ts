// Limits how much of one answer of a server is read: it is counted while it arrives, after decompression.

/** Bytes of one answer. Of a result 5 MB are kept at most, and a list of tools is less. */
export const MAX_ANSWER_BYTES = 8_000_000;

/** Our error code for an answer that was not read to its end, in JSON-RPC's free range. */
export const ANSWER_TOO_LARGE = -32_051;

/** The error message for such an answer. */
export const TOO_LARGE_MESSAGE = `its answer has more than ${MAX_ANSWER_BYTES} bytes and was not read to its end`;

/** How much of a response is read, and how a longer one fails. */
export interface BodyLimit {
  /** Bytes of the body after decompression. */
  maxBytes: number;
  /** Of the error that the request gets. */
  code: number;
  /** The error's message, with the limit. */
  message: string;
}

/** The limit of every answer that is no list of tools. */
export const ANSWER_LIMIT: BodyLimit = {
  maxBytes: MAX_ANSWER_BYTES,
  code: ANSWER_TOO_LARGE,
  message: TOO_LARGE_MESSAGE,
};

/**
 * The response with a body that fails behind the limit, which also ends the connection. The body of an HTTP
 * error, too: it is read to its end, and never shown.
 * @param onTooLarge called before it fails.
 */
export function limitBody(
  response: Response,
  { maxBytes, message }: Pick<BodyLimit, 'maxBytes' | 'message'>,
  onTooLarge: () => void,
): Response {
  if (response.body === null) return response;
  let received = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      received += chunk.length;
      if (received <= maxBytes) return controller.enqueue(chunk);
      onTooLarge();
      throw new RangeError(message);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
}
