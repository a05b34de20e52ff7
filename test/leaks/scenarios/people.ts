// Secrets in what people write: names and reasons of decisions, guidance, questions.

import { decideApproval } from '../../../shared/kits/approvals/decideApproval.ts';
import { askQuestion } from '../../../shared/kits/questions/askQuestion.ts';
import { openChat } from '../../../shared/kits/questions/openChat.ts';
import { addGuidance } from '../../../shared/kits/steering/addGuidance.ts';
import { listApprovals } from '../../../shared/kits/views/listApprovals.ts';
import { EVERY_TOOL } from '../../tools/everyTool.ts';
import type { Plan } from '../plan.ts';
import { startTalkingServer } from '../talkingServer.ts';
import { type Outputs, startWorld } from '../world.ts';

/** A call that is denied and one that is approved, each with a name and a reason. */
export async function decisions(plan: Plan): Promise<Outputs> {
  const at = (field: string) =>
    plan.text(`decision: ${field}`, { longest: 150, reader: 'ingest', form: 'line' });
  const talk = await startTalkingServer({
    tools: [{ name: 'change', inputSchema: { type: 'object' } }],
    results: { change: { content: [{ type: 'text', text: 'changed' }] } },
  });
  const toolCalls = [
    { name: 'talk.change', args: { to: 1 } },
    { name: 'talk.change', args: { to: 2 } },
  ];
  const world = await startWorld(plan, {
    servers: {
      talk: { ...EVERY_TOOL, transport: 'http', url: talk.url, tools: { '*': { approval: 'required' } } },
    },
    script: { conversations: [{ turns: [{ toolCalls }, { text: 'Done.' }] }] },
  });
  const sessionId = await world.run({ title: 'Down' });
  for (const verdict of ['denied', 'approved'] as const) {
    const [approval] = await listApprovals(world.deps.store, world.deps.clock.now());
    if (approval === undefined) throw new Error('nothing waits for approval');
    const outcome = await decideApproval(
      approval.approvalId,
      { verdict, by: at(`who ${verdict}`), reason: at(`why ${verdict}`) },
      world.deps,
    );
    world.outputs.terminal.push(outcome);
    await world.drain();
  }
  await talk.close();
  return world.end(sessionId);
}

/** Guidance while agents work, two questions about the result, and a chat. */
export async function talk(plan: Plan): Promise<Outputs> {
  const at = (field: string, form?: 'line') =>
    plan.text(field, { longest: form === 'line' ? 60 : 600, reader: 'ingest', ...(form && { form }) });
  const world = await startWorld(plan, { script: { conversations: [{ turns: [{ text: 'Done.' }] }] } });
  const sessionId = await world.open({ title: 'Down' });
  const told = { text: at('guidance'), by: at('guidance: who', 'line') };
  world.outputs.terminal.push(await addGuidance(sessionId, told, world.deps));
  await world.drain();
  for (const number of [1, 2]) {
    const asked = { text: at(`question ${number}`), by: at(`question ${number}: who`, 'line') };
    world.outputs.terminal.push(await askQuestion(sessionId, asked, world.deps));
    await world.drain();
  }
  const opened = {
    text: at('chat'),
    by: at('chat: who', 'line'),
    tenantId: 'acme',
    userId: at('chat: user', 'line'),
  };
  world.outputs.terminal.push(await openChat(opened, undefined, world.config, world.deps));
  await world.drain();
  return world.end(sessionId);
}
