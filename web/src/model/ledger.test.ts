// The lines of results that a session's ledger has for the texts of its analysis.

import { expect, it } from 'vitest';
import type { Claims, TimelineEvent } from '../../../shared/lists/apiTypes.ts';
import { buildLedger } from './ledger.ts';

const result = (callId: string, eventType = 'tool_result', executionId = '01') =>
  ({
    executionId,
    sequenceNumber: 7,
    eventType,
    metadata: { callId, toolName: 'k.get_logs' },
  }) as TimelineEvent;
const held = { state: 'held', executionId: '01', callId: 'a', line: 3, quote: null, value: null };

it.each<[string, object, object[], string]>([
  [
    'a quote',
    { evidence: [{ ...held, quote: 'OOM', value: '5' }] },
    [result('a')],
    'OOM #e-01.7:L3 get_logs, line 3',
  ],
  ['a value', { evidence: [{ ...held, value: '5' }] }, [result('a')], '5 #e-01.7:L3 get_logs, line 3'],
  [
    'a whole result',
    { evidence: [{ ...held, value: '5', line: null }] },
    [result('a')],
    '5 #e-01.7 get_logs',
  ],
  [
    'a value of the text',
    { values: [{ ...held, text: '9' }] },
    [result('a')],
    '9 #e-01.7:L3 get_logs, line 3',
  ],
  ['a value that differs', { values: [{ ...held, text: '9', state: 'differs' }] }, [result('a')], ''],
  ['nothing', { evidence: [held] }, [result('a')], ''],
  ['a result that was not read', { values: [{ ...held, text: '9' }] }, [result('b')], ''],
  ['a result of another agent', { values: [{ ...held, text: '9' }] }, [result('a', 'tool_result', '02')], ''],
  ['no result', { values: [{ ...held, text: '9' }] }, [result('a', 'llm_tool_call')], ''],
])('a ledger has evidence for %s', (_, claims, events, text) => {
  const ledger = buildLedger(
    { values: [], evidence: [], ...claims } as unknown as Claims,
    events as TimelineEvent[],
  );
  expect([...ledger].map(([name, { href, where }]) => `${name} ${href} ${where}`).join()).toBe(text);
});
