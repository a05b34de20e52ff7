// The ledger of an execution: a pure fold of the calls in which its agent stated something.

import * as z from 'zod';
import { asArray, asObject, parseJson } from '../text/json.ts';
import { mechanismSchema } from './schema/mechanism.ts';

/** Items of each kind; further ones are refused. */
const MAX_ITEMS = 60;

const id = z.string().regex(/^[A-Za-z][\w-]{0,15}$/, 'must be a short name such as h1');
const short = z.string().trim().max(300);
const long = z.string().max(2000);

const hypothesisSchema = z.object({
  id,
  text: long.optional(),
  component: short.min(1).optional(),
  mechanism: mechanismSchema.optional(),
  /** Whether the agent concludes it. */
  cause: z.boolean().optional(),
});
/** A hypothesis as its agent states it. */
export type Hypothesis = z.infer<typeof hypothesisSchema>;

const evidenceSchema = z.object({
  id,
  hypothesis: id,
  /** `for` in new evidence. */
  side: z.enum(['for', 'against']).optional(),
  result: short.optional(),
  quote: long.optional(),
  pointer: short.optional(),
  value: z.coerce.string().max(300).optional(),
});
type StatedEvidence = z.infer<typeof evidenceSchema> & { side: 'for' | 'against' };

/** JSON text, also of an object. */
const jsonText = z.preprocess(
  (value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value),
  long.default('{}'),
);
const probeSchema = z.object({
  id,
  tool: short.min(1),
  arguments: jsonText,
  find: short.min(1),
  is: z.enum(['present', 'absent', 'above', 'below', 'equals']),
  value: z.coerce.string().max(300).optional(),
  action: short.optional(),
});
/** A call that shows the problem, as its agent states it. */
type StatedProbe = z.infer<typeof probeSchema>;

/** The ledger of an execution. */
export interface Ledger {
  hypotheses: ReadonlyMap<string, Hypothesis>;
  evidence: ReadonlyMap<string, StatedEvidence>;
  probes: ReadonlyMap<string, StatedProbe>;
}

/** A ledger without statements. */
export const EMPTY_LEDGER: Ledger = {
  hypotheses: new Map(),
  evidence: new Map(),
  probes: new Map(),
};

/** A ledger after a statement, and the items that were refused, in words. */
interface Stated {
  ledger: Ledger;
  refused: string[];
}

/** The ledger after statements (call arguments), oldest first, and the refused items of the last. */
export function foldLedger(statements: readonly string[]): Stated {
  return statements.reduce((before: Stated, one) => addStatement(before.ledger, one), {
    ledger: EMPTY_LEDGER,
    refused: [],
  });
}

/** The latest statement of a ledger, added when it is answered, and when its message is read. */
const latest = new WeakMap<Ledger, { json: string; stated: Stated }>();

/** The ledger after one more statement. The same object for the same one. */
export function addStatement(ledger: Ledger, json: string): Stated {
  const known = latest.get(ledger);
  if (known?.json === json) return known.stated;
  const stated = readStatement(ledger, json);
  latest.set(ledger, { json, stated });
  return stated;
}

function readStatement(ledger: Ledger, json: string): Stated {
  const stated = asObject(parseJson(json));
  const refused: string[] = [];
  const read = <T>(key: string, schema: z.ZodType<T>): T[] =>
    asArray(stated[key]).flatMap((item, index) => {
      const parsed = schema.safeParse(item);
      if (parsed.success) return [parsed.data];
      const [issue] = parsed.error.issues;
      refused.push(`${key}[${index}].${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
      return [];
    });
  const hypotheses = upsertItems(ledger.hypotheses, read('hypotheses', hypothesisSchema), refused);
  const sides = new Map([...ledger.evidence].map(([name, one]) => [name, one.side]));
  const named = read('evidence', evidenceSchema).map((one): StatedEvidence => {
    const side = one.side ?? sides.get(one.id) ?? 'for';
    sides.set(one.id, side);
    return { ...one, side };
  });
  const evidence = upsertItems(ledger.evidence, named, refused);
  const probes = upsertItems(ledger.probes, read('probes', probeSchema), refused);
  return { ledger: { hypotheses, evidence, probes }, refused };
}

/** The items with new ones; one with a known id replaces its fields. */
function upsertItems<T extends { id: string }>(
  items: ReadonlyMap<string, T>,
  added: readonly T[],
  faults: string[],
): ReadonlyMap<string, T> {
  const all = new Map(items);
  for (const item of added) {
    if (!all.has(item.id) && all.size >= MAX_ITEMS) {
      faults.push(`${item.id}: there are ${MAX_ITEMS} already; update one`);
      continue;
    }
    all.set(item.id, { ...all.get(item.id), ...item });
  }
  return all;
}
