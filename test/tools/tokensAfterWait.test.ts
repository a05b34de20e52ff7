// Calls that wait for an approval longer than a token lives run with a new one.

import { expect, it, onTestFinished } from 'vitest';
import { mcpServerConfigSchema } from '../../shared/config/serverConfig.ts';
import { createServerTokens } from '../../shared/tools/mcp/auth/serverTokens.ts';
import { keepConnections } from '../../shared/tools/mcp/connectionCache.ts';
import { connectWith } from '../../shared/tools/mcp/mcpConnection.ts';
import { mcpSources } from '../../shared/tools/mcp/mcpSource.ts';
import { callAfter25Hours, SAY_NEEDS_APPROVAL } from '../support/longWait.ts';
import { githubApp, startGithub } from '../worlds/githubWorld.ts';
import { startGuardedServer } from '../worlds/googleWorld.ts';

it('an approval after 25 hours ends with a call with a new token of the GitHub App', async () => {
  let github: Awaited<ReturnType<typeof startGithub>> | undefined;
  let server: Awaited<ReturnType<typeof startGuardedServer>> | undefined;
  let mintedBefore = 0;
  const result = await callAfter25Hours(
    async (now) => {
      github = await startGithub(now);
      const { admits, url } = github;
      server = await startGuardedServer(admits);
      const guarded = mcpServerConfigSchema.parse({
        transport: 'http',
        url: server.url,
        ...SAY_NEEDS_APPROVAL,
        ...githubApp(url),
      });
      const kept = keepConnections({ now, connect: connectWith(createServerTokens({ now })) });
      onTestFinished(() => kept.close());
      return mcpSources({ guarded }, kept.connect);
    },
    () => {
      mintedBefore = github?.minted.length ?? 0;
    },
  );
  expect(result).toMatchObject({ metadata: { isError: false } });
  expect(mintedBefore).toBe(1);
  const [first] = github?.minted ?? [];
  expect(github?.minted).toHaveLength(2);
  expect(server?.tokens.at(-1)).toBe(github?.minted[1]);
  expect(server?.tokens).toContain(first);
});
