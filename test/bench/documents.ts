// The documents that the bench of the local cloud writes and reads: like a message of an investigation, 1 kB.

import type { Fields } from '../../packages/local-cloud/src/firestore/values/value.ts';

export const PROJECT = 'demo-bench';
export const DATABASE = `projects/${PROJECT}/databases/(default)`;

export const idOf = (index: number): string => String(index).padStart(6, '0');

export const documentName = (collection: string, index: number): string =>
  `${DATABASE}/documents/${collection}/${idOf(index)}`;

/** As an application has it. */
export const benchDocument = (index: number) => ({
  schemaVersion: 1,
  executionId: 'execution-1',
  sequence: index,
  role: index % 2 === 0 ? 'assistant' : 'tool',
  content: 'x'.repeat(800),
  group: `group-${index % 50}`,
  tokens: { input: 100 + index, output: 10, thinking: 0, total: 110 },
  labels: ['alpha', 'beta'],
  isFinal: false,
  createdAt: new Date(1_700_000_000_000 + index),
});

/** The same on the wire. */
export function benchFields(index: number): Fields {
  const document = benchDocument(index);
  const integer = (value: number) => ({ valueType: 'integerValue' as const, integerValue: String(value) });
  const text = (value: string) => ({ valueType: 'stringValue' as const, stringValue: value });
  const tokens = Object.entries(document.tokens).map(([name, value]) => [name, integer(value)]);
  return {
    schemaVersion: integer(document.schemaVersion),
    executionId: text(document.executionId),
    sequence: integer(document.sequence),
    role: text(document.role),
    content: text(document.content),
    group: text(document.group),
    tokens: { valueType: 'mapValue', mapValue: { fields: Object.fromEntries(tokens) } },
    labels: { valueType: 'arrayValue', arrayValue: { values: document.labels.map(text) } },
    isFinal: { valueType: 'booleanValue', booleanValue: document.isFinal },
    createdAt: {
      valueType: 'timestampValue',
      timestampValue: {
        seconds: String(Math.floor(document.createdAt.getTime() / 1000)),
        nanos: (document.createdAt.getTime() % 1000) * 1e6,
      },
    },
  };
}
