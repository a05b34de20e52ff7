// One of two Firestores that are compared: what it answers, without what may differ.

import type { RawClient } from '../../packages/local-cloud/src/localFirestore.fixture.ts';
import type { Message } from '../../packages/local-cloud/src/protocol/protoFiles.ts';
import { type Command, PATHS } from './randomCommands.ts';

/** Of server timestamps, which are about now. Those of the random documents are about 1970. */
const RECENT_SECONDS = 1_000_000;

/** What says nothing about the answer, or is said by one of them only in some cases. */
const DIFFERS = new Set([
  'readTime',
  'commitTime',
  'nextPageToken',
  'skippedResults',
  'valueType',
  'continuationSelector',
]);

/** One of the two databases: empty, and with its own names of times. */
export function openSide(client: RawClient, projectId: string) {
  const root = `projects/${projectId}/databases/(default)/documents`;
  const times = new Map<string, string>();
  const updateTimes = new Map<string, Message>();

  /** Times get names in the order in which they are seen first; in all else only the project is left out. */
  const normalize = (message: Message): Message => {
    if (Array.isArray(message)) return message.map(normalize);
    if (Buffer.isBuffer(message)) return message.toString('base64');
    if (typeof message === 'string') return message.replaceAll(root, '');
    if (typeof message !== 'object' || message === null) return message;
    const entries = Object.entries<Message>(message).flatMap(([key, value]): [string, Message][] => {
      if (DIFFERS.has(key) || (key === 'result' && typeof value === 'string')) return [];
      if (key === 'updateTime' || key === 'createTime') {
        const time = `${value.seconds}.${value.nanos}`;
        if (!times.has(time)) times.set(time, `time ${times.size}`);
        return [[key, times.get(time)]];
      }
      if (key === 'timestampValue') {
        const isServerTime = Number(value.seconds ?? 0) > RECENT_SECONDS;
        return [[key, isServerTime ? 'server time' : `${value.seconds ?? 0}.${value.nanos ?? 0}`]];
      }
      if (key === 'geoPointValue') return [[key, `${value.latitude ?? 0} ${value.longitude ?? 0}`]];
      // An absent list or map is an empty one.
      if (['values', 'fields', 'transformResults'].includes(key) && Object.keys(value).length === 0)
        return [];
      return [[key, normalize(value)]];
    });
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  };

  const learnTimes = async () => {
    const documents = PATHS.map((path) => `${root}/${path}`);
    const database = root.replace(/\/documents$/, '');
    const { answers } = await client.call('BatchGetDocuments', { database, documents });
    updateTimes.clear();
    for (const { found } of answers)
      if (found) updateTimes.set(found.name.slice(root.length + 1), found.updateTime);
  };

  return {
    root,
    normalize,
    async run({ method, request }: Command) {
      if (method === 'Commit') await learnTimes();
      const message = request({ root, updateTime: (path) => updateTimes.get(path) });
      const outcome = await client.call(method, message);
      return {
        code: outcome.code,
        details: outcome.details,
        answers: outcome.code === 0 ? normalize(outcome.answers) : [],
      };
    },
  };
}
