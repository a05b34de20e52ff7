// The tool `ledger`, as agents are offered it: always the same bytes. Its rules stand in its description.

import { MECHANISMS } from '../../text/mechanisms.ts';
import { LEDGER } from '../contract/ledgerTool.ts';
import type { ToolDefinition } from '../contract/tools.ts';

const text = { type: 'string' } as const;
const list = (required: readonly string[], properties: Record<string, object>) => ({
  type: 'array',
  items: { type: 'object', properties, required },
});

/** The tool that states hypotheses, evidence and probes. Neutral: it reads nothing. */
export const LEDGER_TOOL: ToolDefinition = {
  name: LEDGER,
  description: [
    'Records hypotheses, evidence and probes; code checks each quote in the stored results. An id you used before is updated. Costs no call: send it together with other calls, and before you conclude.',
    '- evidence: quote a whole line or value exactly, or give a JSON pointer with its value. side: for or against.',
    `- probes, at most 3: a read-only call that you made and that shows the problem; find (text before the value, or a JSON pointer), is (present, absent, above, below, equals) and value: its result once the problem is over. Code repeats it after 30 minutes and 24 hours. Times: \${now-15m}. action: what should end it.`,
    '- component: a canonical name such as k8s:CLUSTER/NAMESPACE/Kind/NAME. Mark the hypothesis that you conclude with cause.',
  ].join('\n'),
  inputSchema: {
    type: 'object',
    properties: {
      hypotheses: list(['id'], {
        id: text,
        text,
        component: text,
        mechanism: { enum: [...MECHANISMS] },
        cause: { type: 'boolean' },
      }),
      evidence: list(['id', 'hypothesis'], {
        id: text,
        hypothesis: text,
        side: { enum: ['for', 'against'] },
        result: text,
        quote: text,
        pointer: text,
        value: text,
      }),
      probes: list(['id', 'tool', 'find', 'is'], {
        id: text,
        tool: text,
        arguments: text,
        find: text,
        is: { enum: ['present', 'absent', 'above', 'below', 'equals'] },
        value: text,
        action: text,
      }),
    },
  },
  readOnly: true,
  neutral: true,
};

/** The feedback to a conclusion without a ledger. */
export const LEDGER_REMINDER =
  'Before you conclude, state your hypotheses and their evidence with the tool ledger; then give the analysis again.';
