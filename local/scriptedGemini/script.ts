// The script a scripted Gemini plays: who asks (`when`), and what each turn answers. YAML or JSON, one file per example.
//
//   defaults: { firstDelayMs: 200, delayMs: 20 }   # pacing of every turn; also `perWrite` (see below)
//   models: [gemini-3.8-flash]                     # others answer 404; without it every gemini-* model is known
//   conversations:                                 # the first one whose `when` matches plays
//     - name: investigator                         # used in error messages
//       when: Kubernetes expert                    # text of the system instruction, or { system, user, model }
//       turns:                                     # the request with n model contents in its history gets turn n + 1
//         - thinking: A crash loop; the events tell why.
//           toolCalls:
//             - { name: kubernetes.get_events, args: { namespace: shop } }
//           failures:                              # each is met once, by one attempt, before the turn answers;
//             - { status: 429, retryDelay: 2s }    # a turn with nothing but failures repeats the last one for ever
//             - { cut: true, afterChunks: 2 }
//         - text: |
//             The container runs out of memory since 1.42.
//           codeExecutions: [{ code: print(6 * 7), result: '42' }]
//           grounding:                             # what tools of the API's own brought (nativeTools.ts); queries: a search
//             queries: [release notes]
//             sources: [{ uri: https://a.example.com, title: a.example.com }]
//             supports: [{ text: since 1.42, sources: [0] }]
//             urls: [{ url: https://a.example.com/1.42 }]
//       conclusion:                                # answers a request without tools, if turns above call tools
//         text: With what is known so far, memory is too small.
//
// A turn may instead give `chunks`, sent as they stand; there a `thoughtSignature: $sign` becomes a signature this
// server accepts back, any other one is refused when it is replayed. Thoughts are sent if the request includes them.

import * as z from 'zod';
import { mapping } from '../../shared/config/fields.ts';
import { codeExecutionSchema, groundingSchema } from './nativeToolsSchema.ts';

const count = z.int().nonnegative();

const toolCallSchema = mapping({
  /** `server.tool`; sent under its wire name. It may name nothing that exists. */
  name: z.string().min(1),
  args: z.record(z.string(), z.unknown()).default({}),
});

/** Tokens to report; what is left out is estimated at four bytes a token. */
const usageSchema = mapping({
  prompt: count.optional(),
  candidates: count.optional(),
  thoughts: count.optional(),
  toolUse: count.optional(),
  cached: count.optional(),
});

const FAILURE_KINDS = ['status', 'cut', 'empty', 'hang', 'midStreamError', 'blockReason'] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

const failureSchema = mapping({
  /** An HTTP error before any chunk, with the API's body. `message` replaces its usual text. */
  status: z.int().min(400).max(599).optional(),
  message: z.string().optional(),
  /** RetryInfo of a 429, for example `2s` or `0.5s`. */
  retryDelay: z
    .string()
    .regex(/^\d+(\.\d+)?s$/, 'must be seconds like "2s" or "0.5s"')
    .optional(),
  /** Quota named by a 429; one with `PerDay` is not worth waiting for. */
  quotaId: z.string().optional(),
  /** The error body is a one-element array, as the API sometimes sends it. */
  asArray: z.boolean().optional(),
  /** The socket is destroyed after `afterChunks` chunks, with `midFrame` in the middle of the next one. */
  cut: z.literal(true).optional(),
  midFrame: z.boolean().optional(),
  /** 200 without a single byte. */
  empty: z.literal(true).optional(),
  /** Nothing more after `afterChunks` chunks (0: not even headers), until the client goes. */
  hang: z.literal(true).optional(),
  /** An error after `afterChunks` chunks: a `data:` frame, or with `bare` pretty-printed JSON without `data:`. */
  midStreamError: mapping({
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
export type Failure = z.infer<typeof failureSchema>;

const pacing = {
  /** Milliseconds before the first chunk, and between chunks. */
  firstDelayMs: count.optional(),
  delayMs: count.optional(),
  /** The body is written to the socket in pieces of this many bytes, wherever that cuts. */
  perWrite: z.int().positive().optional(),
};

const SHORTHAND = ['thinking', 'codeExecutions', 'text', 'grounding', 'toolCalls', 'finishReason'] as const;

const turnSchema = mapping({
  ...pacing,
  thinking: z.string().optional(),
  codeExecutions: z.array(codeExecutionSchema).min(1).optional(),
  text: z.string().optional(),
  grounding: groundingSchema.optional(),
  toolCalls: z.array(toolCallSchema).min(1).optional(),
  /** Parallel calls in one chunk instead of a chunk each. */
  callsTogether: z.boolean().optional(),
  /** Whether calls carry an id. Default: from Gemini 3.5 on. */
  ids: z.boolean().optional(),
  /** STOP by default; null ends the stream cleanly without one. */
  finishReason: z.string().nullable().optional(),
  finishMessage: z.string().optional(),
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
export type Turn = z.infer<typeof turnSchema>;

/** Texts that must all occur: in the system instruction, in what the first user content says, in the model's name. */
const whenSchema = z
  .union([z.string(), mapping({ system: z.string(), user: z.string(), model: z.string() }).partial()], {
    error: 'must be text, or a map with any of system, user, model',
  })
  .transform((when) => (typeof when === 'string' ? { system: when } : when));

const conversationSchema = mapping({
  name: z.string().min(1).optional(),
  when: whenSchema.optional(),
  turns: z.array(turnSchema),
  conclusion: turnSchema.optional(),
});
export type Conversation = z.infer<typeof conversationSchema>;

export const scriptSchema = mapping({
  defaults: mapping(pacing).optional(),
  models: z.array(z.string().min(1)).min(1).optional(),
  conversations: z.array(conversationSchema).min(1),
});
/** A script as it is written. */
export type Script = z.input<typeof scriptSchema>;
/** A script as it is played. */
export type ParsedScript = z.infer<typeof scriptSchema>;

/** Whether a turn ever answers, after its failures. */
export function hasAnswer(turn: Partial<Record<(typeof SHORTHAND)[number] | 'chunks', unknown>>): boolean {
  return turn.chunks !== undefined || SHORTHAND.some((key) => turn[key] !== undefined);
}

/** Which of the failures this is. */
export function failureKind(failure: Failure): FailureKind {
  return FAILURE_KINDS.find((kind) => failure[kind] !== undefined) ?? 'status';
}
