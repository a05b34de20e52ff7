import { expect, it } from 'vitest';
import { handleTick } from './handleTick.ts';

it('a tick ends after its telemetry was sent, also if the sweep fails', async () => {
  let isSent = false;
  const finishTelemetry = () =>
    new Promise<void>((resolve) => {
      setImmediate(() => {
        isSent = true;
        resolve();
      });
    });
  await expect(handleTick({ finishTelemetry } as never, [])).rejects.toThrow();
  expect(isSent).toBe(true);
});
