// Secrets in runbooks, wherever they come from, in the arguments of calls that are made before an agent
// begins, and in the knowledge base.

import type { RunbookChoice } from '../../../shared/config/runbookFields.ts';
import { NO_RUNBOOKS } from '../../../shared/config/runbooks.ts';
import { putRunbook } from '../../../shared/features/runbooks/putRunbook.ts';
import { EVERY_TOOL } from '../../tools/everyTool.ts';
import type { Plan } from '../plan.ts';
import { startTalkingServer } from '../talkingServer.ts';
import { type Outputs, startWorld } from '../world.ts';
import { knowledge } from './knowledge.ts';

const key = (name: string): RunbookChoice => ({
  kind: 'key',
  key: name,
  labels: { use: [name] },
  inFirestore: false,
});

/** A file, a document and a link, each for its alert; calls with fixed arguments, and a label. */
export async function runbooks(plan: Plan): Promise<Outputs> {
  const at = (field: string) => plan.text(`runbook: ${field}`, { reader: 'ingest' });
  const collected = (field: string) =>
    plan.text(`collected call: ${field}`, { reader: 'ingest', form: 'json', longest: 150 });
  const talk = await startTalkingServer({
    tools: [{ name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
    results: { look: { content: [{ type: 'text', text: plan.text('collected call: result') }] } },
  });
  const call = (note: string) => ({ tool: 'talk.look', arguments: JSON.stringify({ note }) });
  const world = await startWorld(plan, {
    servers: { talk: { ...EVERY_TOOL, transport: 'http', url: talk.url } },
    agent: {
      collect: [
        call('nothing'),
        call(collected('fixed argument')),
        call(`\${labels.pod}`),
        call(`\${labels.none}`),
      ],
    },
    runbooks: {
      ...NO_RUNBOOKS,
      files: new Map([['file', at('file')]]),
      hosts: ['wiki.example.com'],
      choices: { test: [key('file'), key('stored'), { kind: 'link' }] },
    },
    fetchRunbook: async (url) =>
      url.endsWith('/there') ? { ok: true, text: at('link') } : { ok: false, reason: 'is not there' },
  });
  await putRunbook({ key: 'stored', text: plan.text('runbook: document'), by: 'ada' }, world.deps);
  let sessionId: string | undefined;
  const links = ['https://wiki.example.com/there', `https://wiki.example.com/?${collected('address')}`];
  for (const [use, link] of [['file'], ['stored'], ['link', links[0]], ['link', links[1]]]) {
    const labels = { alertname: 'Down', use, pod: collected('label') };
    const alert = { status: 'firing', labels, annotations: { runbook_url: link } };
    sessionId = await world.run({ version: '4', status: 'firing', alerts: [alert] });
  }
  world.outputs['calls of tools'].push(...talk.calls);
  await talk.close();
  const outputs = await world.end(sessionId);
  // With the secrets that are left of the same plan, so that those of other scenarios stay where they are.
  for (const [name, values] of Object.entries(await knowledge(plan)))
    outputs[name as keyof Outputs].push(...values);
  return outputs;
}
