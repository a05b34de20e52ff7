import { expect, it } from 'vitest';
import { createTestClock } from '../../../test/support/testClock.ts';
import { putDocument } from '../../core/contract/store.ts';
import { metricTotalsType, paths } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { prometheusText } from './prometheusText.ts';

it('labels are escaped, and the buckets of a histogram are cumulative', async () => {
  const clock = createTestClock();
  const at = clock.now();
  const store = createMemoryStore(clock.now);
  const counts = Array.from({ length: 14 }, (_, index) => (index < 2 ? 3 : 0));
  const series = [
    { metric: 'inquest.calls', attributes: { 'inquest.server': 'a\\b"c\nd' }, value: 2, counts: [] },
    { metric: 'mcp.client.operation.duration', attributes: {}, value: 0.3, counts },
  ];
  const totals = { startedAt: at, series, expireAt: at };
  await store.commit([putDocument(paths.metricTotals, metricTotalsType, totals)]);
  const lines = (await prometheusText({ store, clock })).split('\n');
  expect(lines).toContain('inquest_calls_total{inquest_server="a\\\\b\\"c\\nd"} 2');
  expect(lines).toContain('mcp_client_operation_duration_seconds_bucket{le="0.05"} 3');
  expect(lines).toContain('mcp_client_operation_duration_seconds_bucket{le="+Inf"} 6');
  expect(lines).toContain('mcp_client_operation_duration_seconds_count 6');
});
