// The cost of several sessions.

import type { SessionRow } from '../../../shared/api/types.ts';
import { costText } from '../model/format.ts';

/** The sum, with `at least` where a part of it is not known. */
export function costOfAll(rows: readonly Pick<SessionRow, 'cost'>[]): string {
  const usd = rows.reduce((sum, { cost }) => sum + (cost.usd ?? 0), 0);
  const unknown = rows.filter(({ cost }) => cost.usd === null || cost.unpricedCalls !== 0).length;
  const text = costText({ usd, unpricedCalls: unknown });
  return text === 'unknown' ? 'cost unknown' : text;
}
