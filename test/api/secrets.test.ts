// Secrets anywhere in a request: none comes out in answers, documents, messages, or logs.

import { expect, it } from 'vitest';
import type { Route } from '../../shared/api/http/route.ts';
import { ROUTES } from '../../shared/lists/routes.ts';
import { createLogger } from '../../shared/log.ts';
import { lineMasker } from '../../shared/masking/lineMasker.ts';
import type { MemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { startApiBench } from '../support/apiBench.ts';
import { IS_FULL } from '../support/fullTests.ts';

const KNOWN = 'hunter2-hunter2';
const BY_RULE = `ghp_${'a1B2'.repeat(9)}`;
/** Signs between the letters of a secret, as terminals and web pages have them. */
const COLOURED = `hunter2-\u001b[31mhunter2`;
const script = { conversations: Array(40).fill({ turns: [{ text: 'Done.' }] }) };

/** Fields that some route takes, so that a secret gets past the check of names. */
const FIELDS = [
  'text',
  'reason',
  'comment',
  'chain',
  'alert',
  'title',
  'model',
  'q',
  'after',
  'status',
  'since',
];

it.each(IS_FULL ? [KNOWN, BY_RULE, COLOURED] : [COLOURED])(
  '%j comes out nowhere, wherever it is in a request',
  async (secret) => {
    const api = await startApiBench({ script, chat: {}, knownSecrets: [KNOWN], inMemory: true });
    const seen: string[] = [];
    const line = lineMasker(api.deps.maskerFor);
    const log = createLogger({ LOG_LEVEL: 'trace' }, { write: (text) => void seen.push(text) }, line);
    Object.assign(api.deps.log, log);
    const sessionId = await api.investigate({ title: 'Disk full' });
    const send = async (path: string, request: object) => {
      const { body, headers } = await api.ask(path, request);
      seen.push(JSON.stringify(body), ...headers.values());
    };
    for (const { method, path, streams } of ROUTES as unknown as Route[]) {
      if (streams) continue;
      const own = path.replace('{sessionId}', sessionId).replaceAll(/\{\w+\}/g, 'nosuch');
      const request = { method: method.toUpperCase() };
      const headers = {
        'x-user-id': secret.replaceAll('\u001b', ''),
        'idempotency-key': `${path}-${seen.length}`,
      };
      await send(path.replaceAll(/\{\w+\}/g, encodeURIComponent(secret)), { ...request, headers: {} });
      for (const field of FIELDS) await send(`${own}?${field}=${encodeURIComponent(secret)}`, request);
      if (method !== 'post') continue;
      for (const body of [
        { [secret]: 1 },
        ...FIELDS.map((field) => ({
          text: 'x',
          verdict: 'helpful',
          title: 'x',
          [field]: `see ${secret} there`,
        })),
        ...FIELDS.map((field) => ({ [field]: `see ${secret} there` })),
      ])
        await send(own, { ...request, body, headers: { ...headers, 'idempotency-key': `k${seen.length}` } });
    }
    await api.drain();
    const documents = (api.deps.store as unknown as MemoryStore).documents();
    const published = api.deps.publisher.published.filter(({ topic }) => topic !== 'alerts');
    const everything = JSON.stringify([documents, published, seen]).replaceAll(
      /\\u001b\[\d+m|\ufffd\[\d+m/g,
      '',
    );
    for (const one of [KNOWN, BY_RULE]) expect(everything).not.toContain(one);
    expect(documents.length).toBeGreaterThan(20);
  },
);
