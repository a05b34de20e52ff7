// One call of Listen: its targets and the stream of their changes.

import type { Call } from '../../protocol/call.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import { asStatusError, StatusError } from '../../protocol/status.ts';
import type { Engine } from '../engine/engine.ts';
import type { Planner } from '../indexes/planner.ts';
import { invalid } from '../values/errors.ts';
import { parseDatabase } from '../values/names.ts';
import { type Micros, toMicros, toTimestamp } from '../values/time.ts';
import { createTarget, type Target, type TargetMessage } from './target.ts';

/** A resume token is a time. The client has received all changes up to it. */
const encodeResumeToken = (time: Micros): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(time));
  return bytes;
};

/** The start time of a target; undefined for a new client. An unknown token counts as a time long ago. */
function findTargetStart({ resumeToken, readTime }: TargetMessage): Micros | undefined {
  if (resumeToken?.length) return resumeToken.length === 8 ? Number(resumeToken.readBigInt64BE()) : 0;
  return readTime ? toMicros(readTime) : undefined;
}

/** Serves a call until it ends. An invalid target is removed immediately, with its error as the cause. */
export function serveListen(engine: Engine, planner: Planner, call: Call): void {
  const targets = new Map<number, Target>();
  let database: string | undefined;
  /** All changes up to this time were sent. */
  let sentUntil = engine.now();
  /** Whether the client reads too slowly. Later commits are not sent then. */
  let isBehind = false;

  /** Confirms that all changes up to a time were sent. */
  const sendTime = (time: Micros) =>
    call.write({ targetChange: { resumeToken: encodeResumeToken(time), readTime: toTimestamp(time) } });

  const add = (message: TargetMessage) => {
    const id = message.targetId || 1;
    if (targets.has(id)) throw invalid(`Target id ${id} is in use.`);
    const send = (change: object) => call.write({ targetChange: { targetIds: [id], ...change } });
    send({ targetChangeType: 'ADD' });
    let target: Target;
    try {
      target = createTarget(engine, planner, id, message);
    } catch (error) {
      // Clients retry after an error of the call.
      const { code, details } = asStatusError(error);
      send({ targetChangeType: 'REMOVE', cause: { code, message: details } });
      return;
    }
    targets.set(id, target);
    const snapshot = engine.snapshot();
    for (const response of target.start(snapshot, findTargetStart(message))) call.write(response);
    const { time } = snapshot;
    if (!isBehind) sentUntil = time;
    send({ targetChangeType: 'CURRENT', resumeToken: encodeResumeToken(time), readTime: toTimestamp(time) });
    sendTime(time);
  };

  const unsubscribe = engine.subscribe((commit) => {
    if (commit.database !== database) return;
    // Changes are not buffered for a slow client: it receives the difference when it reads again.
    isBehind ||= call.writableNeedDrain;
    if (isBehind) return;
    sentUntil = commit.time;
    const responses = [...targets.values()].flatMap((target) => target.update(commit));
    for (const response of responses) call.write(response);
    if (responses.length > 0) sendTime(commit.time);
  });
  call.on('drain', () => {
    if (!isBehind) return;
    isBehind = false;
    const snapshot = engine.snapshot();
    const since = sentUntil;
    sentUntil = snapshot.time;
    for (const target of targets.values()) {
      for (const response of target.start(snapshot, since)) call.write(response);
    }
    sendTime(snapshot.time);
  });
  const fail = (error: unknown) => {
    unsubscribe();
    call.emit('error', asStatusError(error));
  };

  call.on('data', (request: Message) => {
    try {
      if (request instanceof StatusError) throw request;
      database ??= parseDatabase(request.database);
      if (request.addTarget != null) add(request.addTarget);
      else if (targets.delete(request.removeTarget)) {
        call.write({ targetChange: { targetChangeType: 'REMOVE', targetIds: [request.removeTarget] } });
      }
    } catch (error) {
      fail(error);
    }
  });
  call.on('end', () => {
    unsubscribe();
    call.end();
  });
  call.on('cancelled', unsubscribe);
}
