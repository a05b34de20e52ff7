// Hands a server-sent event stream to the SDK frame by frame. The SDK looks for error bodies in single
// network chunks, so how TCP happened to cut the stream decides whether it sees one; with whole frames it
// always does.

const LF = 10;
const CR = 13;
const EMPTY = new Uint8Array(0);

/**
 * The same response with a body whose every chunk is one frame, the bytes unchanged. The rest at the end is a
 * chunk of its own: the bare error body Gemini sends in the middle of a stream, or a last frame without its
 * blank line (which is given one).
 * @param onFrame called with the text of each frame, for fields the SDK drops.
 */
export function wholeFrames(response: Response, onFrame: (frame: string) => void = () => {}): Response {
  if (!response.ok || response.body === null) return response;
  const decoder = new TextDecoder();
  let pending = EMPTY;
  let scanned = 0;

  const emit = (frame: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) => {
    onFrame(decoder.decode(frame));
    controller.enqueue(frame);
  };
  const frames = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      pending = appendBytes(pending, chunk);
      let rest: Uint8Array<ArrayBuffer> = pending;
      for (let end = frameEnd(rest, scanned); end !== -1; end = frameEnd(rest, 0)) {
        emit(rest.subarray(0, end), controller);
        rest = rest.subarray(end);
        scanned = 0;
      }
      // Emitted chunks belong to their reader: nothing is appended to their memory.
      if (rest !== pending) pending = rest.slice();
      // A boundary is at most four bytes long, and can start in this chunk.
      scanned = Math.max(0, pending.length - 3);
    },
    flush(controller) {
      if (pending.length === 0) return;
      const isEvent = decoder.decode(pending).trimStart().startsWith('data:');
      emit(isEvent ? appendBytes(pending, new Uint8Array([LF, LF])) : pending, controller);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(frames), { status, statusText, headers });
}

/** Both, in the first one's memory if there is room: a frame of many chunks is not copied for each. */
function appendBytes(pending: Uint8Array<ArrayBuffer>, chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = pending.length + chunk.length;
  const { buffer } = pending;
  const joined =
    buffer.byteLength >= length
      ? new Uint8Array(buffer, 0, length)
      : new Uint8Array(new ArrayBuffer(2 * length), 0, length);
  if (joined.buffer !== buffer) joined.set(pending);
  joined.set(chunk, pending.length);
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
