import { expect, it } from 'vitest';
import { mcpServerConfigSchema } from '../../config/serverConfig.ts';
import type { StdioServerConfig } from '../../contract/mcpServer.ts';
import { keepEnd, stdioLink } from './stdioLink.ts';

it('keeps whole lines of the end, and of a line that was cut nothing that could be half a secret', () => {
  expect(keepEnd('short')).toBe('short');
  expect(keepEnd(`${'x'.repeat(3_990)} zebra-quartz\nlast ${'y'.repeat(3_000)}`)).toBe(
    `last ${'y'.repeat(3_000)}`,
  );
  const line = `zebra-quartz-77-lantern${'z'.repeat(3_990)}`;
  expect(keepEnd(line)).toMatch(/^z{2000,}$/);
});

it('the home of a server is removed at the end of the process, too', async () => {
  const config = mcpServerConfigSchema.parse({ transport: 'stdio', command: 'server' }) as StdioServerConfig;
  const { cleanUp } = await stdioLink(config);
  expect(process.listeners('exit').map(({ name }) => name)).toContain('removeAll');
  cleanUp();
});
