// Streams in the shapes Gemini really sends, written for these tests: chunks, and the bytes they travel as.

export const SIGNATURE = 'c2lnbmF0dXJlLW9mLXRoZS1tb2RlbA==';

function chunk(parts: unknown[], candidate: object = {}, rest: object = {}): object {
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...candidate }],
    usageMetadata: {
      promptTokenCount: 40,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 3,
      totalTokenCount: 50,
    },
    modelVersion: 'gemini-3.8-flash',
    responseId: 'r-1',
    ...rest,
  };
}

const STOP = { finishReason: 'STOP' };

/** Usage as gemini-3.6-flash reports it: by modality, and with the tier. */
function usageOf36({ candidates, prompt, thoughts }: Record<'candidates' | 'prompt' | 'thoughts', number>) {
  return {
    usageMetadata: {
      candidatesTokenCount: candidates,
      promptTokenCount: prompt,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
      serviceTier: 'standard',
      thoughtsTokenCount: thoughts,
      totalTokenCount: candidates + prompt + thoughts,
    },
    modelVersion: 'gemini-3.6-flash',
  };
}

/** Named by what is special about them. */
export const STREAMS = {
  thoughtsThenTextThenSignedEmptyText: [
    chunk([{ text: 'The pod was ', thought: true }]),
    chunk([{ text: 'OOM-killed…', thought: true }]),
    chunk([{ text: 'Speicher von „zürich-01“ ' }]),
    chunk([{ text: 'ist erschöpft 🔥.' }]),
    chunk([{ text: '', thoughtSignature: SIGNATURE }], STOP),
  ],
  signedTextFirst: [
    chunk([{ text: 'Step one.', thoughtSignature: SIGNATURE }]),
    chunk([{ text: ' Step' }]),
    chunk([{ text: ' two.' }], STOP),
  ],
  parallelCallsInSeparateChunks: [
    chunk([
      { functionCall: { name: 'k8s__logs', args: { pod: 'api' }, id: 'fc-1' }, thoughtSignature: SIGNATURE },
    ]),
    chunk([{ functionCall: { name: 'k8s__events', id: 'fc-2' } }]),
    chunk([{ text: '' }], { ...STOP, finishMessage: 'Model generated function call(s).' }),
  ],
  callsWithoutIds: [
    chunk(
      [
        { functionCall: { name: 'k8s__logs', args: { pod: 'api' } }, thoughtSignature: SIGNATURE },
        { functionCall: { name: 'k8s__logs', args: { pod: 'web' } } },
      ],
      STOP,
    ),
  ],
  textBetweenCalls: [
    chunk([{ text: 'First the logs.' }, { functionCall: { name: 'k8s__logs', args: {} } }]),
    chunk([{ text: 'Then the events.' }, { functionCall: { name: 'k8s__events', args: {} } }], STOP),
  ],
  streamedArguments: [
    chunk([{ functionCall: { name: 'k8s__apply', willContinue: true }, thoughtSignature: SIGNATURE }]),
    chunk([fragment([{ jsonPath: '$.name', stringValue: 'zür', willContinue: true }])]),
    chunk([fragment([{ jsonPath: '$.name', stringValue: 'ich', willContinue: true }])]),
    chunk([fragment([{ jsonPath: '$.name', stringValue: '' }])]),
    chunk([fragment([{ jsonPath: '$.ports[0].port', numberValue: 8080 }])]),
    chunk([
      fragment([
        { jsonPath: '$.ports[1].open', boolValue: true },
        { jsonPath: '$.note', nullValue: null },
      ]),
    ]),
    chunk([{ functionCall: {} }]),
    chunk(
      [{ functionCall: { name: 'k8s__logs', partialArgs: [{ jsonPath: '$.pod', stringValue: 'api' }] } }],
      STOP,
    ),
  ],
  // The two shapes of a recording of gemini-3.6-flash, whole answers in one chunk: a call, and the text after
  // its result. pydantic/pydantic-ai at 4fda389, test_google_deferred_capability_announcement_live.yaml.
  // Tokens and shapes are recorded, texts and names ours.
  signedCallOf36: [
    chunk(
      [
        {
          functionCall: { args: { id: 'refunds' }, id: 'g98os1Jf', name: 'k8s__logs' },
          thoughtSignature: SIGNATURE,
        },
      ],
      { ...STOP, finishMessage: 'Model generated function call(s).' },
      usageOf36({ candidates: 17, prompt: 168, thoughts: 72 }),
    ),
  ],
  signedTextOf36: [
    chunk(
      [{ text: 'The refund is allowed.', thoughtSignature: SIGNATURE }],
      STOP,
      usageOf36({ candidates: 9, prompt: 432, thoughts: 84 }),
    ),
  ],
  callsRunByTheProvider: [
    chunk([{ functionCall: { name: 'search_docs', args: { q: 'oom' }, id: 'mcp-1' } }], STOP),
    chunk([{ functionResponse: { name: 'search_docs', id: 'mcp-1', response: { hits: 2 } } }]),
    chunk([{ text: 'The documents say…' }], STOP),
  ],
  serverSideTools: [
    chunk([{ functionCall: { name: 'k8s__logs', args: {}, id: 'fc-1' }, thoughtSignature: SIGNATURE }]),
    chunk([
      {
        toolCall: { id: 't1', toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['oom'] } },
        thoughtSignature: 'dDE=',
      },
    ]),
    chunk(
      [{ toolResponse: { id: 't1', toolType: 'GOOGLE_SEARCH_WEB', response: {} }, thoughtSignature: 'dDI=' }],
      STOP,
    ),
  ],
  codeExecution: [
    chunk([
      { executableCode: { language: 'PYTHON', code: 'print(1)', id: 'c1' }, thoughtSignature: SIGNATURE },
      { text: '' },
    ]),
    chunk([{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n', id: 'c1' } }]),
    chunk([{ text: 'It is 1.' }], STOP),
  ],
  grounding: [
    chunk([{ text: 'Grüße' }], {
      groundingMetadata: {},
      urlContextMetadata: {
        urlMetadata: [
          { retrievedUrl: 'https://a.example', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS' },
        ],
      },
    }),
    chunk([{ text: ' aus der Suche' }], {
      groundingMetadata: { webSearchQueries: ['grüße', ''], groundingChunks: [{}] },
    }),
    chunk([{ text: '.' }], {
      ...STOP,
      groundingMetadata: {},
      urlContextMetadata: { urlMetadata: [{ urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_ERROR' }] },
    }),
  ],
  stopOnEveryChunk: [chunk([{ text: 'One. ' }], STOP), chunk([{ text: 'Two.' }], STOP)],
} satisfies Record<string, object[]>;

function fragment(partialArgs: object[]): object {
  return { functionCall: { partialArgs, willContinue: true } };
}

/** The bytes of a stream: one `data:` line per chunk, CRLF CRLF after each, as the API sends it. */
export function sse(chunks: readonly unknown[]): string {
  return chunks.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join('');
}
