// Hands a server-sent event stream to the SDK frame by frame. The SDK looks for error bodies in single network chunks,
// so how TCP happened to cut the stream decides whether it sees one; with whole frames it always does.

const LF = 10;
const CR = 13;

/**
 * The same response with a body whose every chunk is one frame, the bytes unchanged. What is left at the end is a chunk
 * of its own: the bare error body Gemini sends in the middle of a stream, or a last frame without its blank line
 * (which is given one).
 * @param onFrame called with the text of each frame, for fields the SDK drops.
 */
export function wholeFrames(response: Response, onFrame: (frame: string) => void = () => {}): Response {
  if (!response.ok || response.body === null) return response;
  const decoder = new TextDecoder();
  let pending: Uint8Array = new Uint8Array(0);
  let scanned = 0;

  const emit = (frame: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) => {
    onFrame(decoder.decode(frame));
    controller.enqueue(frame);
  };
  const frames = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      pending = concat(pending, chunk);
      for (let end = frameEnd(pending, scanned); end !== -1; end = frameEnd(pending, 0)) {
        emit(pending.subarray(0, end), controller);
        pending = pending.subarray(end);
        scanned = 0;
      }
      // A boundary is at most four bytes long and may have begun in this chunk.
      scanned = Math.max(0, pending.length - 3);
    },
    flush(controller) {
      if (pending.length === 0) return;
      const isEvent = decoder.decode(pending).trimStart().startsWith('data:');
      emit(isEvent ? concat(pending, new Uint8Array([LF, LF])) : pending, controller);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(frames), { status, statusText, headers });
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

/** Where the first frame ends: behind `\n\n`, `\r\r` or `\r\n\r\n`; -1 when it has not ended yet. */
function frameEnd(bytes: Uint8Array, from: number): number {
  for (let index = from; index + 1 < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte !== LF && byte !== CR) continue;
    if (bytes[index + 1] === byte) return index + 2;
    const isCrLfTwice =
      byte === CR && bytes[index + 1] === LF && bytes[index + 2] === CR && bytes[index + 3] === LF;
    if (isCrLfTwice) return index + 4;
  }
  return -1;
}
