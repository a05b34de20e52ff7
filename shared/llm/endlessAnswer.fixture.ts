// A server's answer that never ends, for clients that must stop reading.

import type { ServerResponse } from 'node:http';

/** Far more than a client may read; a client that reads it all fails its test. */
const CAP_BYTES = 400_000_000;
/** What lies between two programs on one machine: both sockets' buffers, and what either side reads ahead. */
export const IN_FLIGHT_BYTES = 40_000_000;

/** Answers with `piece` repeatedly, as fast as it is read, and counts the bytes. */
export function endlessAnswer(piece: string, status = 200) {
  const sent = Promise.withResolvers<number>();
  const bytes = Buffer.from(piece);
  const reply = (response: ServerResponse): void => {
    let total = 0;
    const send = (): void => {
      while (total < CAP_BYTES && !response.destroyed) {
        total += bytes.length;
        if (!response.write(bytes)) return;
      }
      response.end();
    };
    response.writeHead(status, { 'content-type': 'text/event-stream' }).on('drain', send);
    response.on('close', () => sent.resolve(total));
    send();
  };
  return { reply, sent: sent.promise };
}
