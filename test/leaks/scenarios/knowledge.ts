// Secrets in the knowledge base: entries, agents' queries and notes, and sessions' findings.

import { listEntries, pushEntry } from '../../../shared/kits/knowledge/editKnowledge.ts';
import { describeResult } from '../../../shared/search/describeResult.ts';
import type { Plan } from '../plan.ts';
import { type Outputs, startWorld } from '../world.ts';

const SCOPE = { tenantId: 'default', userId: null };

/** Two alerts that are alike: agents of both are told of an entry, look for others and note something. */
export async function knowledge(plan: Plan): Promise<Outputs> {
  const at = (field: string) => plan.text(`knowledge: ${field}`, { longest: 300, form: 'json' });
  const turns = [
    {
      toolCalls: [
        { name: 'search', args: { query: 'LOOKUP stored, told' } },
        { name: 'search', args: { query: `FUZZY ${at('query')}` } },
        { name: 'search', args: { query: `${at('verb')} x` } },
        {
          name: 'action',
          args: { type: 'observation', payload: { session_name: 'Down', note: at('payload') } },
        },
        { name: 'action', args: { type: at('type of an action') } },
      ],
    },
    { text: `Root cause: ${at('analysis')}\nFix: restart.` },
  ];
  const world = await startWorld(plan, {
    agent: { tools: ['search', 'action'], resources: ['told', 'missing'] },
    script: { conversations: [{ turns }] },
  });
  const { deps } = world;
  const entry = (key: string) => ({
    key,
    kind: 'resource' as const,
    title: plan.text('knowledge: title', { reader: 'ingest', form: 'line', longest: 80 }),
    text: plan.text('knowledge: text', { reader: 'ingest' }),
    labels: { note: plan.text('knowledge: label', { reader: 'ingest', form: 'line', longest: 80 }) },
    links: [],
  });
  for (const key of ['stored', 'told']) await pushEntry(entry(key), { ...SCOPE, by: 'ada' }, deps);
  await world.run({ title: 'Down', labels: { pod: 'web' } });
  const sessionId = await world.run({ title: 'Down', labels: { pod: 'web' }, description: 'again' });
  const { items: entries } = await listEntries(SCOPE, { limit: 100 }, deps);
  world.outputs.terminal.push(describeResult({ verb: 'lookup', found: entries, missing: [] }));
  return world.end(sessionId);
}
