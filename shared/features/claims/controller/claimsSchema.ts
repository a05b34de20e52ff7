// The form of the answer that links the claims of an analysis to the ledger.

import { MECHANISMS } from '../../../text/mechanisms.ts';

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;
const list = (required: readonly string[], properties: Record<string, object>) => ({
  type: 'array',
  items: { type: 'object', properties, required },
});
const evidence = (required: readonly string[]) =>
  list(required, {
    id: text,
    hypothesis: text,
    side: { type: 'string', enum: ['for', 'against'] },
    result: text,
    quote: text,
  });

/** The JSON Schema of the answer about claims. */
export const CLAIMS_SCHEMA = {
  type: 'object',
  properties: {
    conclusion: { type: 'string', enum: ['cause', 'not_an_incident', 'unknown'] },
    cause: texts,
    hypotheses: list(['id'], {
      id: text,
      text,
      component: text,
      mechanism: { type: 'string', enum: [...MECHANISMS] },
    }),
    evidence: evidence(['id', 'hypothesis', 'quote']),
    links: list(['text', 'evidence'], { text, evidence: texts }),
  },
  required: ['conclusion', 'cause'],
};
