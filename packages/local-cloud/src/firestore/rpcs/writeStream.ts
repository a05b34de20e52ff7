// The Write call: commits one after another on one stream, as the clients of browsers and phones send them.

import { randomUUID } from 'node:crypto';
import type { Call } from '../../protocol/call.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import { asStatusError, StatusError } from '../../protocol/status.ts';
import type { Engine } from '../engine/engine.ts';
import { invalid } from '../values/errors.ts';
import { parseDatabase } from '../values/names.ts';
import { toTimestamp } from '../values/time.ts';
import { parseWrites, toWriteResults } from './commits.ts';

/**
 * Serves a call until it ends. The first request names the database and is answered with the stream's id and
 * token, every other one is a commit. A commit that fails ends the call with its error.
 */
export function serveWrites(engine: Engine, call: Call): void {
  let database: string | undefined;
  let commits = 0;

  const answer = (request: Message): Message => {
    const streamToken = Buffer.from(String(commits));
    if (database === undefined) {
      if (request.writes?.length) throw invalid('The first request of a write stream cannot have writes.');
      if (request.streamId)
        throw invalid('The local cloud does not resume write streams: stream_id must be empty.');
      database = parseDatabase(request.database);
      return { streamId: randomUUID(), streamToken };
    }
    const result = engine.commit(database, parseWrites(request.writes ?? [], database));
    commits += 1;
    return {
      streamToken: Buffer.from(String(commits)),
      writeResults: toWriteResults(result),
      commitTime: toTimestamp(result.time),
    };
  };

  call.on('data', (request: Message) => {
    try {
      if (request instanceof StatusError) throw request;
      call.write(answer(request));
    } catch (error) {
      call.emit('error', asStatusError(error));
    }
  });
  call.on('end', () => call.end());
}
