// The Write call: commits one after another on one stream, as the clients of browsers and phones send them.

import { randomUUID } from 'node:crypto';
import type { Call } from '../../protocol/call.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import { asStatusError, StatusError } from '../../protocol/status.ts';
import type { Committer } from '../engine/engine.ts';
import { invalid } from '../values/errors.ts';
import { parseDatabase } from '../values/names.ts';
import { toTimestamp } from '../values/time.ts';
import { parseWrites, toWriteResults } from './commits.ts';

/**
 * Serves a call until it ends. The first request names the database and is answered with the stream's id and
 * token, every other one is a commit. A commit that fails ends the call with its error.
 */
export function serveWrites(commits: Committer, call: Call): void {
  let database: string | undefined;
  let count = 0;
  /** The answers so far: each request waits for the one before it. */
  let answers: Promise<void> = Promise.resolve();
  let hasFailed = false;

  const answer = async (request: Message): Promise<Message> => {
    const streamToken = Buffer.from(String(count));
    if (database === undefined) {
      if (request.writes?.length) throw invalid('The first request of a write stream cannot have writes.');
      if (request.streamId)
        throw invalid('The local cloud does not resume write streams: stream_id must be empty.');
      database = parseDatabase(request.database);
      return { streamId: randomUUID(), streamToken };
    }
    const result = await commits.commit(database, parseWrites(request.writes ?? [], database));
    count += 1;
    return {
      streamToken: Buffer.from(String(count)),
      writeResults: toWriteResults(result),
      commitTime: toTimestamp(result.time),
    };
  };

  const serve = async (request: Message): Promise<void> => {
    if (hasFailed) return;
    try {
      if (request instanceof StatusError) throw request;
      call.write(await answer(request));
    } catch (error) {
      hasFailed = true;
      call.emit('error', asStatusError(error));
    }
  };
  call.on('data', (request: Message) => {
    answers = answers.then(() => serve(request));
  });
  call.on('end', () => void answers.then(() => call.end()));
}
