// A port for HTTP/1.1 and HTTP/2 without encryption. The first bytes of a connection identify the protocol.

import type { Server as Http1Server } from 'node:http';
import type { Http2Server } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';

/** Every HTTP/2 connection starts with `PRI * HTTP/2.0`, no method of HTTP/1.1 (RFC 9113, 3.4). */
const PREFACE = 'PRI';
/** A client that connects and sends nothing is let go. */
const SILENCE_MS = 60_000;

/** A server that gives its connections to one of two that listen nowhere themselves. */
export function createPort(http1: Http1Server, http2: Http2Server): Server {
  return createServer({ noDelay: true }, (socket) => {
    const end = () => void socket.destroy();
    socket.on('error', end);
    socket.setTimeout(SILENCE_MS, end);
    const decide = () => {
      const head: Buffer | null = socket.read(PREFACE.length);
      if (head === null) return;
      socket.off('readable', decide).off('error', end).off('timeout', end).setTimeout(0);
      socket.unshift(head);
      passSocket(socket, head.toString('latin1') === PREFACE);
    };
    socket.on('readable', decide);
  });

  function passSocket(socket: Socket, isHttp2: boolean): void {
    // A client of HTTP/1.1 can end its side before it has the response.
    if (!isHttp2) socket.allowHalfOpen = true;
    (isHttp2 ? http2 : http1).emit('connection', socket);
  }
}
