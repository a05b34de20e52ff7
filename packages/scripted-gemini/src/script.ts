// The schema of a script: conditions on requests (`when`), and the response of each turn. YAML or JSON, a
// file per example.
//
//   defaults: { firstDelayMs: 200, delayMs: 20 }   # pacing of every turn; also `perWrite` (see below)
//   models: [gemini-3.8-flash]                     # others answer 404; default: every gemini-* model
//   conversations:                                 # the first one whose `when` matches plays
//     - name: investigator                         # used in error messages
//       when: Kubernetes expert                    # system instruction, or { system, user, model, question }
//       turns:                                     # a request with n model contents gets turn n + 1
//         - thinking: A crash loop; the events have the reason.
//           toolCalls:
//             - { name: get_events, args: { namespace: shop } }
//           failures:                              # one for each attempt, before the response of the turn;
//             - { status: 429, retryDelay: 2s }    # a turn with only failures repeats the last one
//             - { cut: true, afterChunks: 2 }
//         - text: |
//             The container runs out of memory since 1.42.
//           codeExecutions: [{ code: print(6 * 7), result: '42' }]
//           grounding:                             # results of native tools; queries: a search
//             queries: [release notes]
//             sources: [{ uri: https://a.example.com, title: a.example.com }]
//             supports: [{ text: since 1.42, sources: [0] }]
//             urls: [{ url: https://a.example.com/1.42 }]
//       conclusion:                                # answers a request without tools, after turns that call
//         text: The memory limit is too small.
//
// A turn can have `chunks` instead, which are sent unchanged but for their `modelVersion`. In them,
// `thoughtSignature: $sign` becomes a signature that this server accepts; a replay of any other signature is
// refused. Thoughts are sent if the request asks for them.
//
// Every text of a turn can quote a result of the request's history: `${result TOOL /pattern/}` is the first
// group of the pattern, or its match, in the last result of the tool; `${result TOOL#1 /pattern/}` in its
// first one.

import * as z from 'zod';

/** Code that the model ran. */
const codeExecutionSchema = strictMapping({
  code: z.string(),
  /** Its output. Without it, the answer has no part with the result. */
  result: z.string().optional(),
  /** OUTCOME_OK by default. */
  outcome: z.string().optional(),
});

/** Searches and pages that the model used. */
const groundingSchema = strictMapping({
  /** Queries of Google Search. */
  queries: z.array(z.string()).min(1).optional(),
  sources: z.array(strictMapping({ uri: z.string(), title: z.string().optional() })).default([]),
  /** Which words of the text come from which sources (indices from 0). */
  supports: z
    .array(strictMapping({ text: z.string().min(1), sources: z.array(z.int().nonnegative()) }))
    .default([]),
  /** Pages that the model read. `status` is SUCCESS, ERROR, PAYWALL or UNSAFE. */
  urls: z.array(strictMapping({ url: z.string(), status: z.string().default('SUCCESS') })).default([]),
  /** HTML of the search suggestions. */
  renderedContent: z.string().optional(),
});

const count = z.int().nonnegative();

const toolCallSchema = strictMapping({
  /** The name of a function. It need not be declared. */
  name: z.string().min(1),
  args: z.record(z.string(), z.unknown()).default({}),
});

/** Tokens to report; a count that is absent is estimated at four bytes a token. */
const usageSchema = strictMapping({
  prompt: count.optional(),
  candidates: count.optional(),
  thoughts: count.optional(),
  toolUse: count.optional(),
  cached: count.optional(),
});

const FAILURE_KINDS = ['status', 'cut', 'empty', 'hang', 'midStreamError', 'blockReason'] as const;
/** The kinds of failures. */
export type FailureKind = (typeof FAILURE_KINDS)[number];

const failureSchema = strictMapping({
  /** An HTTP error before any chunk, with the API's body. `message` replaces its usual text. */
  status: z.int().min(400).max(599).optional(),
  message: z.string().optional(),
  /** RetryInfo of a 429, for example `2s` or `0.5s`. */
  retryDelay: z
    .string()
    .regex(/^\d+(\.\d+)?s$/, 'must be seconds like "2s" or "0.5s"')
    .optional(),
  /** Quota named by a 429; clients do not wait for one with `PerDay`. */
  quotaId: z.string().optional(),
  /** The error body is a one-element array, as the API sometimes sends it. */
  asArray: z.boolean().optional(),
  /** The socket is destroyed after `afterChunks` chunks, with `midFrame` in the middle of the next one. */
  cut: z.literal(true).optional(),
  midFrame: z.boolean().optional(),
  /** 200 without a single byte. */
  empty: z.literal(true).optional(),
  /** Sends nothing after `afterChunks` chunks (0: no headers) until the client closes. */
  hang: z.literal(true).optional(),
  /** An error after `afterChunks` chunks: a `data:` frame, or with `bare` pretty-printed JSON. */
  midStreamError: strictMapping({
    code: z.int(),
    status: z.string(),
    message: z.string(),
    bare: z.boolean().optional(),
  }).optional(),
  /** The prompt is blocked: promptFeedback and no candidates. */
  blockReason: z.string().optional(),
  afterChunks: count.optional(),
}).refine((failure) => FAILURE_KINDS.filter((kind) => failure[kind] !== undefined).length === 1, {
  message: `must have exactly one of ${FAILURE_KINDS.join(', ')}`,
});
/** How an attempt fails. */
export type Failure = z.infer<typeof failureSchema>;

const pacing = {
  /** Milliseconds before the first chunk, and between chunks. */
  firstDelayMs: count.optional(),
  delayMs: count.optional(),
  /** Bytes per write to the socket. Writes can split frames and characters. */
  perWrite: z.int().positive().optional(),
};

const SHORTHAND = ['thinking', 'codeExecutions', 'text', 'grounding', 'toolCalls', 'finishReason'] as const;

/** The schema of a turn. */
export const turnSchema = strictMapping({
  ...pacing,
  thinking: z.string().optional(),
  codeExecutions: z.array(codeExecutionSchema).min(1).optional(),
  text: z.string().optional(),
  grounding: groundingSchema.optional(),
  toolCalls: z.array(toolCallSchema).min(1).optional(),
  /** Sends parallel calls in one chunk instead of one chunk for each. */
  callsTogether: z.boolean().optional(),
  /** Whether calls carry an id. Default: from Gemini 3.5 on. */
  ids: z.boolean().optional(),
  /** STOP by default; null ends the stream without a finish reason. */
  finishReason: z.string().nullable().optional(),
  finishMessage: z.string().optional(),
  /** Of an interaction: the status in which it ends, instead of the one that follows from the answer. */
  status: z.string().min(1).optional(),
  /** Of an interaction in the background: its webhook is lost, comes twice, or before the id. */
  webhook: z.enum(['lost', 'twice', 'early']).optional(),
  usage: usageSchema.optional(),
  /** Bytes of each signature before base64. Real ones have 600 in the median, server tools up to 100,000. */
  signatureBytes: z.int().min(32).max(200_000).optional(),
  chunks: z.array(z.record(z.string(), z.unknown())).min(1).optional(),
  failures: z.array(failureSchema).min(1).optional(),
})
  .refine((turn) => hasAnswer(turn) || turn.failures !== undefined, {
    message: `must have one of ${SHORTHAND.join(', ')}, chunks, failures`,
  })
  .refine((turn) => turn.chunks === undefined || SHORTHAND.every((key) => turn[key] === undefined), {
    message: `has chunks, so it can have none of ${SHORTHAND.join(', ')}`,
  })
  .superRefine(({ text = '', grounding }, context) => {
    for (const [index, support] of (grounding?.supports ?? []).entries()) {
      if (text.includes(support.text)) continue;
      const path = ['grounding', 'supports', index, 'text'];
      context.addIssue({ code: 'custom', path, message: 'does not occur in the text of the turn' });
    }
  });
/** One answer of the script. */
export type Turn = z.infer<typeof turnSchema>;

/**
 * Texts that must occur in the system instruction, in the first user content, in the model's name, and in the
 * last user content with a text; turns of a conversation with the last one are counted from there.
 */
const whenSchema = z
  .union(
    [
      z.string(),
      strictMapping({
        system: z.string(),
        user: z.string(),
        model: z.string(),
        question: z.string(),
      }).partial(),
    ],
    { error: 'must be text, or a map with any of system, user, model, question' },
  )
  .transform((when) => (typeof when === 'string' ? { system: when } : when));

const conversationSchema = strictMapping({
  name: z.string().min(1).optional(),
  when: whenSchema.optional(),
  turns: z.array(turnSchema),
  conclusion: turnSchema.optional(),
});
/** The answers to requests of one kind, in order. */
export type Conversation = z.infer<typeof conversationSchema>;

/** The fields of a script, for a schema with further ones. */
export const scriptFields = {
  defaults: strictMapping(pacing).optional(),
  models: z.array(z.string().min(1)).min(1).optional(),
  conversations: z.array(conversationSchema).min(1),
};

/** The whole script. */
export const scriptSchema = strictMapping(scriptFields);
/** A script in a file. */
export type Script = z.input<typeof scriptSchema>;
/** A script after validation. */
export type ParsedScript = z.infer<typeof scriptSchema>;

/** Whether a turn has an answer after its failures. */
export function hasAnswer(turn: Partial<Record<(typeof SHORTHAND)[number] | 'chunks', unknown>>): boolean {
  return turn.chunks !== undefined || SHORTHAND.some((key) => turn[key] !== undefined);
}

/** The kind of a failure. */
export function failureKind(failure: Failure): FailureKind {
  return FAILURE_KINDS.find((kind) => failure[kind] !== undefined) ?? 'status';
}

/** A mapping that refuses unknown keys. Its message has one line for each unknown key, in their order. */
function strictMapping<T extends z.ZodRawShape>(shape: T) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => describeKnownKeys(key, known)).join('\n')
        : undefined,
  });
}

/** The known keys, with the one that needs the fewest edits, at most 40 % of its length. */
function describeKnownKeys(found: string, known: readonly string[]): string {
  const distances = known.map((key) => ({
    key,
    distance: editDistance(found.toLowerCase(), key.toLowerCase()),
  }));
  const [close] = distances
    .filter(({ key, distance }) => distance <= Math.ceil(key.length * 0.4))
    .sort((a, b) => a.distance - b.distance);
  return `expected one of ${known.join(', ')}${close === undefined ? '' : `; did you mean "${close.key}"?`}`;
}

/** How many letters are added, removed or replaced. A key above 100 letters is not mistyped. */
function editDistance(found: string, key: string): number {
  if (found.length > 100) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: key.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...found].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...key].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
