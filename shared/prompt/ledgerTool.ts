// The tool `ledger`, as agents are offered it: always the same bytes. Its rules stand in its description.

import { LEDGER } from '../contract/ledgerTool.ts';
import type { ToolDefinition } from '../contract/tools.ts';
import { MECHANISMS } from '../text/mechanisms.ts';

const text = { type: 'string' } as const;
const list = (required: readonly string[], properties: Record<string, object>) => ({
  type: 'array',
  items: { type: 'object', properties, required },
});

/** The tool that states hypotheses, evidence and tests. Neutral: it reads nothing. */
export const LEDGER_TOOL: ToolDefinition = {
  name: LEDGER,
  description: [
    'Records hypotheses, evidence and tests; code checks each quote in the stored results. An id you used before is updated. Costs no call: send it together with other calls, and before you conclude.',
    '- evidence: quote a whole line or value exactly, or give a JSON pointer with its value. side: for or against.',
    '- tests: state one before its call. find: text before the value; against: the hypothesis that expects the opposite.',
    `- probes, at most 3: a read-only call that you made and that shows the problem; find, is and value as in tests: its result once the problem is over. Code repeats it after 30 minutes and 24 hours. Times: \${now-15m}. action: what should end it.`,
    '- component: a canonical name such as k8s:CLUSTER/NAMESPACE/Kind/NAME. Mark the hypothesis you conclude with cause; effectOf and with name one that it follows from, or belongs to.',
  ].join('\n'),
  inputSchema: {
    type: 'object',
    properties: {
      hypotheses: list(['id'], {
        id: text,
        text,
        component: text,
        mechanism: { enum: [...MECHANISMS] },
        effectOf: text,
        with: text,
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
        answers: text,
      }),
      tests: list(['id', 'hypothesis', 'against', 'tool', 'find', 'is'], {
        id: text,
        hypothesis: text,
        against: text,
        tool: text,
        arguments: text,
        find: text,
        is: { enum: ['present', 'absent', 'above', 'below', 'equals'] },
        value: text,
      }),
      probes: list(['id', 'tool', 'find', 'is'], {
        id: text,
        tool: text,
        arguments: text,
        find: text,
        is: text,
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

/** How a ReAct agent can state something beside a call. */
export const LEDGER_LINE =
  'A line `Ledger: {…}` before "Action:" or "Final Answer:" states the arguments of ledger as one JSON object, beside the action or the answer.';
