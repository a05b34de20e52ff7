// What an MCP server over stdio can read of the processes beside it.

import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { startSystem } from '../../local/system.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { createPubsubPublisher } from '../../shared/store/pubsub/pubsubPublisher.ts';
import { ownConfig, temporaryFolder } from '../support/ownConfig.ts';

interface Shown {
  pid: string;
  environ: string;
  cmdline: string;
}

it.skipIf(!existsSync('/proc/self/environ'))(
  'no process shows a secret of runIteration to an MCP server that runIteration started',
  async () => {
    const key = randomBytes(20).toString('hex');
    const file = join(temporaryFolder(), 'processes.json');
    const reader = join(import.meta.dirname, 'fixtures/procReader.ts');
    const gemini = await startScriptedModel({
      script: { conversations: [{ turns: [{ toolCalls: [{ name: 'proc.read' }] }, { text: 'Done.' }] }] },
    });
    const projectId = `demo-${randomUUID().slice(0, 8)}`;
    const proc = { transport: 'stdio', command: process.execPath, args: [reader, file], readOnly: ['read'] };
    const system = await startSystem({
      projectId,
      env: {
        INQUEST_CONFIG: ownConfig({ tools: ['proc'], servers: { proc } }),
        GOOGLE_GEMINI_BASE_URL: gemini.url,
        GEMINI_API_KEY: key,
      },
    });
    const publisher = createPubsubPublisher({ projectId });
    try {
      await publisher.publish(TOPICS.alerts, Buffer.from('Checkout is slow.'), {});
      await expect.poll(() => existsSync(file)).toBe(true);
      const { parent, processes } = JSON.parse(readFileSync(file, 'utf8')) as {
        parent: string;
        processes: Shown[];
      };
      // The model refuses requests without a key, and the server reads the process that asked it.
      expect(gemini.requests.length).toBeGreaterThan(0);
      const functions = processes.find(({ pid }) => pid === parent);
      expect(functions?.cmdline).toContain('functionHost');
      expect(functions?.environ).toContain('PATH=');
      const showing = processes.filter(({ environ, cmdline }) => `${environ}\n${cmdline}`.includes(key));
      expect(showing.map(({ cmdline }) => cmdline)).toEqual([]);
    } finally {
      await publisher.close();
      await system.stop();
      await gemini.stop();
    }
  },
);
