// Secrets of MCP servers: tools, results, errors, failed starts; and their configuration.

import type { Tool } from '@modelcontextprotocol/server';
import { EVERY_TOOL } from '../../tools/everyTool.ts';
import type { Plan } from '../plan.ts';
import { startTalkingServer } from '../talkingServer.ts';
import { type Outputs, startWorld } from '../world.ts';

const DONE = { text: 'Out of memory.' };
const annotations = { readOnlyHint: true };
const plainTool = (name: string): Tool => ({ name, inputSchema: { type: 'object' }, annotations });
const calling = (...names: string[]) => names.map((name) => ({ name: `talk.${name}`, args: {} }));

/** Results and errors of every form, of a server that is called with secrets in its configuration. */
export async function toolResults(plan: Plan): Promise<Outputs> {
  const at = (field: string, longest?: number) =>
    plan.text(`result: ${field}`, longest === undefined ? {} : { longest });
  const inJson = (field: string) => plan.text(`result: ${field}`, { form: 'json' });
  const [header = '', bearer = '', parameter = ''] = plan.serverValues;
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
  const blob = Buffer.from(at('blob')).toString('base64');
  const talk = await startTalkingServer({
    instructions: at('instructions of the server'),
    tools: ['text', 'error', 'structured', 'both', 'files', 'thrown', 'http', 'cut'].map(plainTool),
    results: {
      text: text(at('text')),
      error: { ...text(at('error')), isError: true },
      structured: {
        content: [],
        structuredContent: { [inJson('structured key')]: inJson('structured value') },
      },
      both: {
        content: [{ type: 'text', text: '' }],
        structuredContent: { list: [inJson('structured list')] },
      },
      files: {
        content: [
          { type: 'image', mimeType: 'image/png', data: Buffer.from(at('image')).toString('base64') },
          { type: 'audio', mimeType: at('type of audio', 60), data: 'QUJD' },
          {
            type: 'resource_link',
            name: at('name of a link', 60),
            uri: `https://x.example/${at('link', 60)}`,
          },
          { type: 'resource', resource: { uri: 'file:///a', text: at('resource') } },
          { type: 'resource', resource: { uri: 'file:///b', blob, mimeType: at('type of a blob', 60) } },
        ],
      },
      thrown: new Error(at('JSON-RPC error')),
      http: at('HTTP error'),
      // Three quarters of what fits are kept of the beginning.
      cut: text(
        plan.filler(2_940 + plan.random.int(0, 20)) + at('text at the limit', 0) + plan.filler(1_200),
      ),
    },
  });
  const world = await startWorld(plan, {
    servers: {
      talk: {
        ...EVERY_TOOL,
        transport: 'http',
        url: `${talk.url}?token=${encodeURIComponent(parameter)}`,
        headers: { 'x-api-key': header, authorization: `Bearer ${bearer}` },
      },
    },
    script: {
      conversations: [
        {
          turns: [
            { toolCalls: calling('text', 'error', 'structured', 'both', 'files') },
            { toolCalls: calling('thrown', 'http', 'cut') },
            DONE,
          ],
        },
      ],
    },
  });
  const sessionId = await world.run({ title: 'Down' });
  world.outputs['calls of tools'].push(...talk.calls);
  await talk.close();
  return world.end(sessionId);
}

/** What a server says of its tools, and parameters that configuration binds. */
export async function toolDefinitions(plan: Plan): Promise<Outputs> {
  const at = (field: string, longest?: number) =>
    plan.text(`definition: ${field}`, longest === undefined ? {} : { longest });
  const schema = {
    type: 'object' as const,
    title: at('title of the schema'),
    description: at('description of the schema'),
    properties: {
      pod: { type: 'string', description: at('description of a parameter'), default: at('default') },
      zone: { type: 'string', enum: ['a', at('entry of an enum', 60)], examples: [at('example')] },
      kind: { const: at('constant', 60), $comment: at('comment') },
      [plan.text('definition: name of a parameter', { form: 'name' })]: { type: 'string' },
      region: { type: 'object', properties: { deep: { title: at('deep title') } } },
      bound: { type: 'string' },
    },
  };
  const talk = await startTalkingServer({
    tools: [
      { ...plainTool('look'), description: at('description'), inputSchema: schema },
      { ...plainTool('titled'), title: at('title of a tool') },
      plainTool(plan.text('definition: name of a tool', { form: 'name' })),
      { name: 'change', inputSchema: { type: 'object', properties: { bound: { type: 'string' } } } },
    ],
    results: { look: { content: [] }, change: { content: [] } },
  });
  const world = await startWorld(plan, {
    servers: {
      talk: {
        ...EVERY_TOOL,
        transport: 'http',
        url: talk.url,
        tools: { '*': { approval: 'required' } },
        readOnly: ['look', 'titled'],
        trustHints: false,
        arguments: { bound: plan.text('servers.yaml: bound argument', { only: 'environment', longest: 5 }) },
      },
    },
    script: {
      conversations: [{ turns: [{ toolCalls: calling('look', 'change', 'missing') }, DONE] }],
    },
  });
  const sessionId = await world.run({ title: 'Down' });
  await talk.close();
  return world.end(sessionId);
}

/** Servers that do not start or refuse: what is said of them, and of what they are configured with. */
export async function missingServers(plan: Plan): Promise<Outputs> {
  const at = (field: string, cutAt: number) => plan.text(`missing server: ${field}`, { cutAt });
  const [argument = '', variable = '', header = '', parameter = ''] = plan.serverValues;
  const shell = (said: string) => ({
    transport: 'stdio' as const,
    command: '/bin/sh',
    // A server's own variables are hidden whatever they hold, so that it says what it is called with.
    args: ['-c', 'printf "%s\\n" "$KEY_OF_NOBODY" "$3" "$1" >&2; exit 1', 'sh', said, '--password', argument],
    env: { KEY_OF_NOBODY: variable },
    keepConnection: false,
  });
  const talk = await startTalkingServer({ tools: [], results: {} });
  const world = await startWorld(plan, {
    servers: {
      words: shell(`Error: ${at('last words', 293)}`),
      long: shell(plan.text('missing server: long last words', { longest: 0 }) + plan.filler(3_985)),
      lost: {
        transport: 'stdio',
        command: `/nowhere/${plan.text('servers.yaml: command', { form: 'name', only: 'rules' })}`,
        args: [`--token=${plan.serverValues[4] ?? ''}`],
      },
      refused: {
        transport: 'http',
        url: `http://127.0.0.1:2/mcp?key=${encodeURIComponent(parameter)}`,
        headers: { authorization: `Basic ${Buffer.from(`shop:${header}`).toString('base64')}` },
      },
      elsewhere: {
        transport: 'http',
        url: talk.url.replace('/mcp', `/${encodeURIComponent(at('path', 100))}`),
      },
    },
    script: { conversations: [{ turns: [{ toolCalls: calling('a') }, DONE], conclusion: DONE }] },
  });
  const sessionId = await world.run({ title: 'Down' });
  await talk.close();
  return world.end(sessionId);
}
