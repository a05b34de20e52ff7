// Builds the results of the API's own tools: code and its output as parts, and grounding. The byte offsets of
// the grounding are computed here, so that a script only quotes its own text.

import { createHash } from 'node:crypto';
import { atLeast, type ModelVersion } from './modelVersion.ts';
import type { GenerateRequest } from './requestSchema.ts';
import type { Turn } from './script.ts';

type Part = Record<string, unknown>;

/** Code and its output, in pairs. From Gemini 3 on with ids, and with a signature on the code. */
export function codeParts(
  { codeExecutions = [] }: Turn,
  model: ModelVersion,
  request: GenerateRequest,
  sign: (part: Part) => Part,
): Part[] {
  const isGemini3 = atLeast(model, 3);
  return codeExecutions.flatMap(({ code, result, outcome = 'OUTCOME_OK' }, index) => {
    const id = isGemini3 ? { id: deriveNativeCallId(request, `code ${index}`) } : {};
    const codePart = { executableCode: { language: 'PYTHON', code, ...id } };
    const parts: Part[] = [isGemini3 ? sign(codePart) : codePart];
    if (result !== undefined) parts.push({ codeExecutionResult: { outcome, output: result, ...id } });
    return parts;
  });
}

/** The invocations of the API's own tools, if the request asks to see them. Both parts have a signature. */
export function invocationParts(
  { grounding }: Turn,
  request: GenerateRequest,
  sign: (part: Part) => Part,
): Part[] {
  if (request.toolConfig?.includeServerSideToolInvocations !== true || grounding === undefined) return [];
  const invocation = (toolType: string, args: object, response: object): Part[] => {
    const id = deriveNativeCallId(request, toolType);
    return [sign({ toolCall: { toolType, args, id } }), sign({ toolResponse: { toolType, response, id } })];
  };
  const { queries, urls, renderedContent = '' } = grounding;
  const urlMetadata = composeUrlMetadata(urls);
  return [
    ...(queries ? invocation('GOOGLE_SEARCH_WEB', { queries }, { search_suggestions: renderedContent }) : []),
    ...(urls.length > 0
      ? invocation('URL_CONTEXT', { urls: urls.map(({ url }) => url) }, { urls_metadata: urlMetadata })
      : []),
  ];
}

/** Metadata of a candidate: pages on the first chunk, grounding on the last, `{}` on the others. */
export function composeGrounding({ grounding, text = '' }: Turn): (index: number, count: number) => object {
  if (grounding === undefined) return () => ({});
  const { queries, sources, supports, urls, renderedContent } = grounding;
  const metadata = {
    ...(renderedContent !== undefined && { searchEntryPoint: { renderedContent } }),
    ...(sources.length > 0 && { groundingChunks: sources.map((web) => ({ web })) }),
    ...(supports.length > 0 && {
      groundingSupports: supports.map(({ text: quote, sources: groundingChunkIndices }) => ({
        segment: locateQuotedSegment(text, quote),
        groundingChunkIndices,
      })),
    }),
    ...(queries && { webSearchQueries: queries }),
  };
  return (index, count) => ({
    groundingMetadata: index === count - 1 ? metadata : {},
    ...(index === 0 && urls.length > 0 && { urlContextMetadata: { urlMetadata: composeUrlMetadata(urls) } }),
  });
}

function composeUrlMetadata(urls: { url: string; status: string }[]): object[] {
  return urls.map(({ url, status }) => ({
    retrievedUrl: url,
    urlRetrievalStatus: `URL_RETRIEVAL_STATUS_${status}`,
  }));
}

/** Offsets are in bytes; a start of 0 is left out, as in the API. */
function locateQuotedSegment(text: string, quote: string): object {
  const start = Buffer.byteLength(text.slice(0, text.indexOf(quote)));
  return { ...(start > 0 && { startIndex: start }), endIndex: start + Buffer.byteLength(quote), text: quote };
}

function deriveNativeCallId(request: GenerateRequest, purpose: string): string {
  const hash = createHash('sha256').update(purpose).update(JSON.stringify(request.contents));
  return hash.digest('hex').slice(0, 8);
}
