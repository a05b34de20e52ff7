// Secrets in what models answer: texts, thoughts, calls, code, files, what they found, and how they end.

import { toWireName } from '../../../shared/llm/wireNames.ts';
import { EVERY_TOOL } from '../../tools/everyTool.ts';
import type { Plan } from '../plan.ts';
import { startTalkingServer } from '../talkingServer.ts';
import { type Outputs, startWorld } from '../world.ts';
import { sayLive } from './live.ts';

type Part = Record<string, unknown>;

const chunk = (parts: Part[], candidate: Part = {}, rest: Part = {}) => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...candidate }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  modelVersion: 'gemini-3.8-flash',
  responseId: 'response',
  ...rest,
});
/** The name of the tool in a request. */
const ECHO = toWireName('talk.echo');
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** An answer with every kind of part, then a conclusion; all again in the next prompt; and live. */
export async function answerParts(plan: Plan): Promise<Outputs> {
  const at = (field: string, longest?: number) =>
    plan.text(`answer: ${field}`, longest === undefined ? {} : { longest });
  const inJson = (field: string) => plan.text(`answer: ${field}`, { longest: 300, form: 'json' });
  const id = () => plan.text('answer: id of a call', { form: 'name' });
  const talk = await startTalkingServer({
    tools: [{ name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
    results: { echo: { content: [{ type: 'text', text: 'well' }] } },
  });
  const calls = [
    { functionCall: { id: id(), name: ECHO, args: { [inJson('name of an argument')]: 1 } } },
    { functionCall: { name: ECHO, args: { deep: [{ text: inJson('argument') }] } } },
    { functionCall: { name: plan.text('answer: name of a call', { form: 'name' }), args: {} } },
    { functionCall: { name: ECHO, args: {} } },
  ];
  const first = [
    chunk([{ text: at('thought'), thought: true }], { finishReason: undefined }),
    chunk([{ executableCode: { id: 'c1', language: 'PYTHON', code: at('code') } }], {
      finishReason: undefined,
    }),
    chunk([{ codeExecutionResult: { id: 'c1', outcome: 'OUTCOME_OK', output: at('output of code') } }], {
      finishReason: undefined,
    }),
    chunk([{ codeExecutionResult: { outcome: at('outcome of code', 40), output: 'x' } }], {
      finishReason: undefined,
    }),
    chunk([{ text: at('text beside calls') }], { finishReason: undefined }),
    chunk([{ ...calls[0], thoughtSignature: '$sign' }, ...calls.slice(1)], {
      finishMessage: at('finish message'),
    }),
  ];
  const second = [
    chunk(
      [
        {
          toolCall: {
            id: 't1',
            toolType: 'GOOGLE_SEARCH_WEB',
            args: { queries: [at('grounding: query in a part')] },
          },
        },
        {
          toolResponse: {
            id: 't1',
            toolType: 'GOOGLE_SEARCH_WEB',
            response: { found: at('grounding: response') },
          },
        },
        {
          inlineData: {
            mimeType: 'text/plain',
            data: base64(plan.text('answer: file', { form: 'encoded' })),
            displayName: at('name of a file'),
          },
        },
        { fileData: { mimeType: 'text/plain', fileUri: `https://x.example/${at('address of a file', 60)}` } },
        { somethingNew: { text: at('unknown part') } },
        { text: `${at('analysis')}\n${at('second line of the analysis')}` },
      ],
      {
        finishMessage: at('finish message of the analysis'),
        groundingMetadata: {
          webSearchQueries: [at('grounding: query')],
          groundingChunks: [
            {
              web: {
                uri: `https://x.example/${at('grounding: address', 60)}`,
                title: at('grounding: title'),
              },
            },
          ],
          groundingSupports: [
            {
              segment: { startIndex: 0, endIndex: 5, text: at('grounding: support') },
              groundingChunkIndices: [0],
            },
          ],
          searchEntryPoint: { renderedContent: at('search suggestions') },
        },
        citationMetadata: {
          citationSources: [{ startIndex: 0, endIndex: 4, uri: `https://x.example/${at('citation', 60)}` }],
        },
      },
      { modelVersion: at('version of the model', 60) },
    ),
  ];
  const world = await startWorld(plan, {
    agent: {
      nativeTools: ['google_search', 'code_execution', 'url_context'],
      combineNativeTools: true,
      instructions: plan.text('configuration: instructions of the agent', { reader: 'ingest' }),
      model: {
        provider: 'google',
        model: 'gemini-3.8-flash',
        includeThoughts: true,
        storeSearchEntryPoint: true,
      },
    },
    servers: { talk: { ...EVERY_TOOL, transport: 'http', url: talk.url } },
    // An answer that is not replayed may become several contents, and the script counts contents.
    script: { conversations: [{ turns: [first, ...Array(5).fill(second)].map((chunks) => ({ chunks })) }] },
  });
  const sessionId = await world.run({ title: 'Down' });
  world.outputs['calls of tools'].push(...talk.calls);
  await talk.close();
  await sayLive(plan, world);
  return world.end(sessionId);
}

/** The same in the words of ReAct: an action that runs, one that does not exist, one that cannot be read. */
export async function reactAnswers(plan: Plan): Promise<Outputs> {
  const at = (field: string) => plan.text(`react: ${field}`, { longest: 300 });
  const talk = await startTalkingServer({
    tools: [{ name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
    results: { echo: { content: [{ type: 'text', text: at('observation') }] } },
  });
  const input = JSON.stringify({ pod: plan.text('react: argument', { longest: 300, form: 'json' }) });
  const unknown = plan.text('react: name of a tool', { form: 'name' });
  const turns = [
    `Thought: ${at('thought')}\nAction: talk.echo\nAction Input: ${input}`,
    'Thought: I look.\nAction: talk.echo\nAction Input: {}',
    `Thought: I look.\nAction: talk.${unknown}\nAction Input: {}`,
    `Thought: ${at('last thought')}\nFinal Answer: ${at('final answer')}`,
  ].map((text) => ({ text }));
  const world = await startWorld(plan, {
    agent: { strategy: 'react' },
    servers: { talk: { ...EVERY_TOOL, transport: 'http', url: talk.url } },
    script: { conversations: [{ turns }] },
  });
  const sessionId = await world.run({ title: 'Down' });
  world.outputs['calls of tools'].push(...talk.calls);
  await talk.close();
  return world.end(sessionId);
}
