// The provider-independent content of a message, from which every provider's request is built. Values keep
// the names of the wire (`tool_use`), keys are ours. `providerData` holds data that only its own provider can
// read.

import * as z from 'zod';

import { asObject, parseJson } from '../../text/json.ts';
import { storedResultSchema } from './storedResult.ts';

/**
 * The kinds of results. `state`: fields that a control plane writes, and samples of metrics. `change`:
 * rollouts, commits. `text`: whatever a workload, a user or the author of an issue can write.
 */
export const YIELDS = ['state', 'text', 'change'] as const;
/** The kind of a tool's results. */
export type Yields = (typeof YIELDS)[number];

/** Google uses both names for its models; only `google` is stored. */
const providerSchema = z
  .string()
  .min(1)
  .transform((name) => (name === 'gemini' ? 'google' : name));

/** The source of a piece of text. Offsets are UTF-16 code units of the block's text, end exclusive. */
export const citationSchema = z.strictObject({
  type: z.enum(['web_search_result', 'url_citation', 'grounding_support']),
  url: z.string().optional(),
  title: z.string().optional(),
  startIndex: z.int().nonnegative().optional(),
  endIndex: z.int().nonnegative().optional(),
  citedText: z.string().optional(),
  /** Position in `results` of the synthetic search result, which omits chunks that cannot be cited. */
  resultIndex: z.int().nonnegative().optional(),
  snippet: z.string().optional(),
  /** Further data of the provider, as JSON text. */
  providerData: z.string().optional(),
});
/** The source of a piece of text. */
export type Citation = z.infer<typeof citationSchema>;

/** One source of a search. */
const searchResultSchema = z.strictObject({
  title: z.string(),
  url: z.string(),
  /** In the provider's format, for example `April 20, 2017`. */
  pageAge: z.string().optional(),
  /** The kind of a source that is not a web page: `retrieved_context`, `maps`. An open set. */
  kind: z.string().optional(),
});
/** One source of a search. */
export type SearchResult = z.infer<typeof searchResultSchema>;

/** Fields of all blocks. */
const shared = {
  /** Position in its turn, from 0. */
  sequence: z.int().nonnegative().optional(),
  /** The side that ran a tool; absent means `server`, which is this system. */
  executionSide: z.enum(['provider', 'server', 'client']).optional(),
  /** The provider that created the block. */
  provider: providerSchema.optional(),
  /** JSON for its own provider: signatures, raw blocks, metadata. Text: Firestore nests no arrays. */
  providerData: z.string().optional(),
  citations: z.array(citationSchema).optional(),
};

const toolUse = {
  ...shared,
  toolUseId: z.string().min(1),
  /** `server.tool`, or the provider's name of a tool that the provider ran. */
  toolName: z.string(),
  /** JSON text. */
  input: z.string(),
};

const toolResult = {
  ...shared,
  toolUseId: z.string().min(1),
  /** Takes precedence over other forms of the result; empty for one of those (`toolResultText`). */
  textContent: z.string(),
  content: z.string().optional(),
  /** JSON text of a result that is not only text. */
  result: z.string().optional(),
  error: z.string().optional(),
  errorCode: z.string().optional(),
  /** Set when no tool returned this result: the call was not run, or was interrupted. */
  noAnswer: z.literal(true).optional(),
  /** The kind of its tool's results. Absent: `text`. */
  yields: z.enum(YIELDS).optional(),
  /** The field list of its tool, for states. Absent: no field of it is one. */
  fields: z.string().min(1).optional(),
  /** Set when the text shows only a part of the result, which is stored whole. */
  stored: storedResultSchema.optional(),
  /** Sources, for a search. */
  results: z.array(searchResultSchema).optional(),
};

/** Bytes or the URI of a file; neither when the provider's own parts hold it. */
const media = {
  ...shared,
  mimeType: z.string().min(1),
  /** Base64. */
  data: z.string().optional(),
  uri: z.string().optional(),
  title: z.string().optional(),
};

/** A block of a message: text, thought, tool call, tool result or file. */
export const blockSchema = z.discriminatedUnion('blockType', [
  z.strictObject({ ...shared, blockType: z.literal('text'), textContent: z.string() }),
  z.strictObject({ ...shared, blockType: z.literal('thinking'), textContent: z.string() }),
  z.strictObject({ ...toolUse, blockType: z.literal('tool_use') }),
  z.strictObject({ ...toolUse, blockType: z.literal('web_search_use') }),
  z.strictObject({
    ...toolResult,
    blockType: z.literal('tool_result'),
    toolName: z.string(),
    isError: z.boolean(),
  }),
  // An alias of a search's tool_result that is read but never written.
  z
    .strictObject({
      ...toolResult,
      blockType: z.literal('web_search_result'),
      toolName: z.string().default('web_search'),
      isError: z.boolean().default(false),
      textContent: z.string().default(''),
    })
    .transform((block) => ({ ...block, blockType: 'tool_result' as const })),
  z.strictObject({ ...media, blockType: z.literal('image') }),
  z.strictObject({ ...media, blockType: z.literal('document') }),
]);
/** A block of a message. */
export type Block = z.infer<typeof blockSchema>;
/** The blocks of one type. */
export type BlockOf<T extends Block['blockType']> = Extract<Block, { blockType: T }>;
/** A block that calls a tool. */
export type ToolUseBlock = BlockOf<'tool_use'> | BlockOf<'web_search_use'>;
/** A block that holds the result of a tool. */
export type ToolResultBlock = BlockOf<'tool_result'>;

/** Whether a block is a call that the provider ran itself. */
export function isProviderRunUse(block: Block): block is ToolUseBlock {
  return (
    block.blockType === 'web_search_use' ||
    (block.blockType === 'tool_use' && block.executionSide === 'provider')
  );
}

/** Start of the result of a call that never reached a tool. Results of failed servers start differently. */
export const NOT_RUN = 'Not run:';

/** Whether a block is a call that the runtime runs. */
export function isOwnCall(block: Block): block is BlockOf<'tool_use'> {
  return block.blockType === 'tool_use' && block.executionSide !== 'provider';
}

/**
 * Whether its provider signed a block. Each provider has its own name for the signature, which can cover only
 * a piece of a text.
 */
export function isSigned({ providerData }: Block): boolean {
  const { thought_signature, signature, segments } = asObject(parseJson(providerData ?? ''));
  const pieces = Array.isArray(segments) ? segments.map(asObject) : [];
  return Boolean(thought_signature ?? signature) || pieces.some((piece) => Boolean(piece.thought_signature));
}
