import { expect, it } from 'vitest';
import { LEDGER_TOOL } from '../../../core/prompts/ledgerTool.ts';
import { foldLedger } from '../../../evidence/ledger.ts';
import { answerLedger } from './answerLedger.ts';

it('the schema has at most 1,500 characters, and an answer at most 300 bytes', () => {
  expect(JSON.stringify(LEDGER_TOOL.inputSchema).length).toBeLessThanOrEqual(1_500);
  const evidence = Array.from({ length: 50 }, (_, index) => ({ id: `e${index}`, hypothesis: 'h9' }));
  const call = { callId: 'c', name: 'ledger', arguments: JSON.stringify({ evidence }) };
  const stated = foldLedger([call.arguments]);
  const matches = new Map(
    evidence.map(({ id }) => [id, { state: 'differs' as const, found: 'ü'.repeat(90) }]),
  );
  const { content } = answerLedger(call, stated, matches, { results: [] });
  expect(content).toMatch(/^Not held: e0 differs \(found: /);
  expect(Buffer.byteLength(content)).toBeLessThanOrEqual(300);
});
