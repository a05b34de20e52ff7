// Secrets in structured answers: taken, refused and told back, given as a function's arguments or as text.

import { EVERY_TOOL } from '../../tools/everyTool.ts';
import type { Plan } from '../plan.ts';
import { startTalkingServer } from '../talkingServer.ts';
import { type Outputs, startWorld } from '../world.ts';

/** An answer that does not fit, one beside a call, one that is text, and one that is taken. */
export async function structuredAnswers(plan: Plan): Promise<Outputs> {
  const at = (field: string) => plan.text(`structured: ${field}`, { longest: 300, form: 'json' });
  const talk = await startTalkingServer({
    tools: [{ name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
    results: { echo: { content: [{ type: 'text', text: 'well' }] } },
  });
  const outputSchema = JSON.stringify({
    type: 'object',
    properties: {
      answer: {
        type: 'string',
        description: plan.text('structured: description of a field', {
          reader: 'ingest',
          longest: 300,
          form: 'json',
        }),
      },
      steps: { type: 'array', items: { type: 'string' } },
      level: { type: 'string', enum: ['low', 'high'] },
    },
    required: ['answer', 'level'],
  });
  const result = (args: Record<string, unknown>) => ({ name: 'final_result', args });
  const turns = [
    { toolCalls: [result({ answer: at('wrong answer'), level: at('value that is none of the list') })] },
    { toolCalls: [{ name: 'talk.echo', args: {} }, result({ [at('unknown field')]: 1 })] },
    { text: at('text that is no JSON') },
    { toolCalls: [result({ answer: at('answer'), steps: [at('step'), at('other step')], level: 'low' })] },
  ];
  const world = await startWorld(plan, {
    agent: { outputSchema },
    servers: { talk: { ...EVERY_TOOL, transport: 'http', url: talk.url } },
    script: { conversations: [{ turns }] },
  });
  const sessionId = await world.run({ title: 'Down' });
  world.outputs['calls of tools'].push(...talk.calls);
  await talk.close();
  return world.end(sessionId);
}
