// Reads the request of a check for intake, and notes its outcome.

import { checkPart, type SessionCheck } from '../../alerts/schema/sessionCheck.ts';
import type { SessionConfig } from '../../config/config.ts';
import type { Schedule } from '../../config/schedulesFile.ts';
import { TerminalError } from '../../core/errors.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import type { PubsubMessage } from '../../core/kernel/pubsubEvent.ts';
import { NO_PARTS, withPart } from '../../core/schema/parts.ts';
import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import { buildTenantAttributes } from '../../kits/tenants/alertContext.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { type Check, checkType } from './check.ts';
import { alertKeyOfCheck, CHECK_ATTRIBUTE } from './checkRequest.ts';
import { endOfCheck } from './runningCheck.ts';

/** Ids of checks. */
const CHECK_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,119}$/;

interface CheckContent {
  chain: string | null;
  /** The body of its alert. */
  body: unknown;
  question: string | null;
  delivers: SessionCheck['delivers'];
}

interface OpeningCheck {
  /** Its alert, as a message. */
  message: PubsubMessage;
  /** Makes the session one of the kind `check`. */
  feature: IntakeFeature;
}

/**
 * The check that a message names; undefined for any other message.
 * @returns null if nothing is left to do: there is no such request, or it was settled.
 * @throws TerminalError `CONFIG_INVALID` if its schedule is not in the configuration; RetryableError when the
 * store fails.
 */
export async function takeCheck(
  message: PubsubMessage,
  config: Pick<SessionConfig, 'schedules'>,
  deps: Pick<StateDeps, 'store' | 'log'>,
): Promise<{ check: Check; opening: OpeningCheck } | null | undefined> {
  const checkId = message.attributes[CHECK_ATTRIBUTE];
  if (checkId === undefined) return undefined;
  const stored = CHECK_ID.test(checkId)
    ? await deps.store.get(checkType.paths.check(checkId), checkType)
    : undefined;
  if (stored === undefined || stored.value.state !== 'waiting') return null;
  const check = stored.value;
  const content = chooseCheckContent(check, config);
  const previous = await endOfCheck(check.previousId, deps);
  return { check, opening: planCheckOpening(message, check, content, previous) };
}

function chooseCheckContent(
  { content, schedule }: Check,
  config: Pick<SessionConfig, 'schedules'>,
): CheckContent {
  if (content !== null) {
    const { title, question, labels, chain } = content;
    return { chain, question, body: buildCheckBody(title, labels), delivers: 'always' };
  }
  const found = schedule === null ? undefined : config.schedules?.[schedule];
  if (found === undefined || schedule === null)
    throw new TerminalError('CONFIG_INVALID', `schedules.yaml has no schedule ${schedule}; add it again`);
  return scheduledContent(schedule, found);
}

function scheduledContent(
  name: string,
  { chain, title = `Check ${name}`, question, alert, labels, onlyIf }: Schedule,
): CheckContent {
  const body = alert ?? buildCheckBody(title, labels);
  return { chain: chain ?? null, question: question ?? null, body, delivers: onlyIf };
}

const buildCheckBody = (title: string, labels: Record<string, string>) => ({
  title,
  status: 'firing',
  labels,
});

function planCheckOpening(
  { messageId, deliveryAttempt, traceparent }: PubsubMessage,
  { checkId, tenantId, userId, schedule, slot }: Check,
  { chain, body, question, delivers }: CheckContent,
  previous: SessionCheck['previous'],
): OpeningCheck {
  return {
    message: {
      messageId,
      deliveryAttempt,
      traceparent,
      publishedAt: slot,
      data: Buffer.from(JSON.stringify(body)),
      attributes: { ...buildTenantAttributes({ tenantId, userId }), ...(chain !== null && { chain }) },
      key: alertKeyOfCheck(checkId),
    },
    feature: {
      async addContext({ masker }) {
        const asked = question === null ? null : cleanText(masker, question).text;
        const result = { previous, delivers, result: null };
        const check: SessionCheck = { checkId, schedule, slot, question: asked, ...result };
        return { change: { kind: 'check', ...withPart(checkPart, NO_PARTS, check) }, notice: null };
      },
    },
  };
}
