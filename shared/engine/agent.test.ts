import { describe, expect, it } from 'vitest';
import { callTool, done, open, readMessages, scripted } from './engine.fixture.ts';
import { memory } from './engine.ts';

describe('an agent that another one asks', () => {
  it('reads the task and the question, which name no alert, and its answer is the result of the call', async () => {
    const store = memory();
    const agents = open({ store });
    const expert = agents.agent({
      name: 'expert',
      description: 'Knows orders.',
      instructions: 'Look it up.',
      model: scripted({ text: 'It is lost.' }),
    });
    const ask = callTool('ask_agent', { agent_name: 'expert', input_text: 'Where is 17?' });
    const support = agents.agent({
      name: 'support',
      instructions: 'Help.',
      asks: [expert],
      model: scripted(ask, done),
    });
    const { id } = await agents.start(support, { input: 'Order 17 is late.' });
    expect(await agents.result(id)).toMatchObject({ status: 'completed', text: 'Done.' });
    const [system = '', first = '', ...others] = await readMessages(store, id, '01-support~1');
    expect(system).toContain('You are expert.');
    expect(first).toContain(
      'The task of another agent, which asks you and gets your answer:\\nOrder 17 is late.',
    );
    expect(first).toContain('Where is 17?');
    expect([system, first].join()).not.toMatch(/alert|investigat|on call/);
    expect(others).toHaveLength(1);
    const asking = await readMessages(store, id, '01-support');
    expect(asking.at(-2)).toContain('It is lost.');
  });
});
