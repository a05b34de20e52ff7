// A message's content in a form that belongs to no provider: what is stored, and what every model's request is made of.
// Values keep the names of the wire (`tool_use`); keys are ours. What only its own provider can read is `providerData`.

import * as z from 'zod';

/** Google calls its models both ways; one name is stored. */
const providerSchema = z
  .string()
  .min(1)
  .transform((name) => (name === 'gemini' ? 'google' : name));

/** Where a piece of text comes from. Offsets are UTF-16 code units of the block's text, end exclusive. */
export const citationSchema = z.strictObject({
  type: z.enum(['web_search_result', 'url_citation', 'grounding_support']),
  url: z.string().optional(),
  title: z.string().optional(),
  startIndex: z.int().nonnegative().optional(),
  endIndex: z.int().nonnegative().optional(),
  citedText: z.string().optional(),
  /** Position in `results` of the synthetic search result, which leaves out chunks nobody can cite. */
  resultIndex: z.int().nonnegative().optional(),
  snippet: z.string().optional(),
  /** JSON: what else the provider said of it. */
  providerData: z.string().optional(),
});
export type Citation = z.infer<typeof citationSchema>;

/** One source of a search. */
export const searchResultSchema = z.strictObject({
  title: z.string(),
  url: z.string(),
  /** As the provider writes it, for example `April 20, 2017`. */
  pageAge: z.string().optional(),
  /** Set when it is no web page: `retrieved_context`, `maps`. An open set. */
  kind: z.string().optional(),
});
export type SearchResult = z.infer<typeof searchResultSchema>;

/** What all blocks may carry. */
const shared = {
  /** Position in its turn, from 0. */
  sequence: z.int().nonnegative().optional(),
  /** Who ran a tool; absent means `server`, which is us. */
  executionSide: z.enum(['provider', 'server', 'client']).optional(),
  /** Who made the block. */
  provider: providerSchema.optional(),
  /** JSON text, for its own provider only: signatures, raw blocks, metadata. Text because Firestore nests no arrays. */
  providerData: z.string().optional(),
  citations: z.array(citationSchema).optional(),
};

const toolUse = {
  ...shared,
  toolUseId: z.string().min(1),
  /** `server.tool`, or a provider's own name for a tool it ran. */
  toolName: z.string(),
  /** JSON text. */
  input: z.string(),
};

const toolResult = {
  ...shared,
  toolUseId: z.string().min(1),
  /** Goes before every other form of the result; empty when one of those holds it (see `toolResultText`). */
  textContent: z.string(),
  content: z.string().optional(),
  /** JSON text of a result that is not only text. */
  result: z.string().optional(),
  error: z.string().optional(),
  errorCode: z.string().optional(),
  /** Sources, for a search. */
  results: z.array(searchResultSchema).optional(),
};

/** Bytes or a place to get them from; neither when they are kept in the provider's own parts. */
const media = {
  ...shared,
  mimeType: z.string().min(1),
  /** Base64. */
  data: z.string().optional(),
  uri: z.string().optional(),
  title: z.string().optional(),
};

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
  // The other name of a search's tool_result: read, never written.
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
export type Block = z.infer<typeof blockSchema>;
export type BlockOf<T extends Block['blockType']> = Extract<Block, { blockType: T }>;
/** A call of a tool, by whatever name. */
export type ToolUseBlock = BlockOf<'tool_use'> | BlockOf<'web_search_use'>;
export type ToolResultBlock = BlockOf<'tool_result'>;
