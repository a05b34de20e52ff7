// What the agent is: instructions, one tool that needs a person's approval, a store and a queue.

import { fileURLToPath } from 'node:url';
import { durable, firestore, gemini, pubsub, script, tool, z } from 'inquest/engine';

const refund = tool({
  name: 'refund',
  version: '1',
  description: 'Refunds a part of an order, in cents.',
  input: z.object({ order: z.string(), cents: z.int().positive() }),
  changes: true,
  approval: 'required',
  timeoutMs: 20_000,
  // A real shop gets the key, so that it recognises a request that arrives twice.
  run: ({ order, cents }, { idempotencyKey }) => ({ refunded: cents, order, receipt: idempotencyKey }),
});

const key = process.env.APPROVAL_KEY;
const scripted = script(fileURLToPath(import.meta.resolve('./support.yaml')));
export const agents = durable({
  store: firestore(),
  queue: pubsub('iterations'),
  model: process.env.GEMINI_API_KEY ? gemini('gemini-3.8-flash') : scripted,
  ...(key !== undefined && { approvals: { key } }),
});
export const support = agents.agent({
  name: 'support',
  instructions: 'You answer customers of a shop. Refund what came broken.',
  tools: [refund],
});
