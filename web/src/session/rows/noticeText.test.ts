// The words of notices.

import { expect, it } from 'vitest';
import { noticeText } from './noticeText.ts';

it.each([
  ['paused', 'Paused by kim.', 'Paused', 'by kim.'],
  ['alert_repeated', 'Alert repeated.', 'Alert repeated.', ''],
  ['alert_repeated', 'The source reports it again.', 'Alert repeated.', 'The source reports it again.'],
  ['deferred', 'Deferred: no budget.', 'Deferred:', 'no budget.'],
  ['cancel', 'Cancelled by kim.', 'Cancel.', 'Cancelled by kim.'],
  [
    'approval_requested',
    'k.restart waits until 2026-11-23T15:31:04.980Z. Arguments: {"a":1}',
    'Approval requested.',
    'k.restart waits until 15:31:04 UTC.',
  ],
  [
    'deferred',
    'Deferred: full. Nothing runs until someone starts it: inquest start-deferred 2026-a',
    'Deferred:',
    'full. Nothing runs until someone starts it.',
  ],
  [
    'deferred',
    'Deferred: full. It starts when there is room. To start it now: inquest start-deferred 2026-a',
    'Deferred:',
    'full. It starts when there is room.',
  ],
])(
  'a notice reports an event once, in times of a day and without commands: %s %j',
  (code, content, label, text) => {
    expect(noticeText(code, content)).toEqual({ label, text });
  },
);
