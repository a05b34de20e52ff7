// Parts of the installation that are away, in sentences with the place of the page "System" that has more.

import { countText } from '../model/format.ts';
import type { SystemHealth } from './systemState.ts';

interface AwayPart {
  text: string;
  /** Since when, ISO 8601, if that is known. */
  since?: string;
  /** The section of the page, and its name. */
  section: keyof typeof SECTIONS;
}

/** The sections of the page "System" by their ids. */
export const SECTIONS = {
  state: 'State',
  waiting: 'Waiting for you',
  servers: 'Tool servers',
  models: 'Models',
  configuration: 'Configuration',
} as const;

/** A sentence for each part that is away. */
export function healthWords({ servers, models, lateSweep, lateCanary = null }: SystemHealth): AwayPart[] {
  const parts: AwayPart[] = [
    ...models.map(({ code, since, agents }) => ({
      text:
        code === 'QUOTA_REACHED'
          ? `${countText(agents, 'agent')} ${agents === 1 ? 'waits' : 'wait'} for a quota of a model or a server.`
          : `The model does not answer ${countText(agents, 'agent')} (${code}): they wait for it.`,
      ...(since !== null && { since }),
      section: 'models' as const,
    })),
    ...servers.map(({ name, agents }) => ({
      text: `The tool server ${name} cannot be reached: ${countText(agents, 'agent')} ${agents === 1 ? 'works' : 'work'} without its tools.`,
      section: 'servers' as const,
    })),
  ];
  if (lateSweep !== null) parts.push(sweepWords(lateSweep));
  if (lateCanary !== null)
    parts.push({
      text: 'The hourly test alert does not arrive: alerts can be waiting.',
      since: lateCanary,
      section: 'state',
    });
  return parts;
}

const WAITING = [
  ['agents', 'agent'],
  ['sessions', 'session'],
  ['messages', 'message'],
  ['checks', 'scheduled check'],
] as const;

/** The work that waits for the run of every minute. */
function sweepWords({ since, ...counts }: NonNullable<SystemHealth['lateSweep']>): AwayPart {
  const waiting = WAITING.flatMap(([name, word]) => (counts[name] > 0 ? countText(counts[name], word) : []));
  const text = `${waiting.join(', ')} cannot continue: the run of every minute that continues interrupted work has not completed.`;
  return { text, ...(since !== null && { since }), section: 'state' };
}
