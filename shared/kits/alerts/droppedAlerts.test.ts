import { expect, it } from 'vitest';
import { sampleDroppedAlerts } from '../../../test/support/samples.ts';
import { droppedAlertsType } from '../../lists/documents.ts';

it('reads dropped alerts of version 1, which named no tenant', () => {
  const { tenantId: _, ...old } = sampleDroppedAlerts();
  const read = droppedAlertsType.decode({ ...old, schemaVersion: 1 }, 'droppedAlerts/2026-11-05.dev');
  expect(read).toEqual({ ...old, tenantId: null });
});
