// The person behind an account of Slack: a full member of the configured workspace, with a confirmed address.

import type { WebClient } from '@slack/web-api';
import type { ChatPerson, PersonResult } from '../contract/destination.ts';
import { slackFailure } from './slackErrors.ts';

/** https://docs.slack.dev/reference/objects/user-object, as far as it is read. */
interface SlackUser {
  id?: string;
  team_id?: string;
  deleted?: boolean;
  is_bot?: boolean;
  is_app_user?: boolean;
  /** Guests of several channels, and of one. */
  is_restricted?: boolean;
  is_ultra_restricted?: boolean;
  /** Of another workspace, through Slack Connect. */
  is_stranger?: boolean;
  is_email_confirmed?: boolean;
  profile?: { email?: string };
}

/** @param team the workspace of the settings; undefined: no one is accepted. */
export async function loadSlackPerson(
  client: WebClient,
  { userId, team: named }: ChatPerson,
  team: string | undefined,
): Promise<PersonResult> {
  if (team === undefined || named !== team)
    return refusePerson('other_team', 'Only people of the workspace of this app can act.');
  let user: SlackUser;
  try {
    user = ((await client.apiCall('users.info', { user: userId })) as { user?: SlackUser }).user ?? {};
  } catch (error) {
    const { outcome, failure } = slackFailure(error);
    return { outcome: outcome === 'retry' || outcome === 'unknown' ? 'failed' : 'refused', failure };
  }
  const { id, team_id, profile } = user;
  if (id !== userId || team_id !== team || user.is_stranger === true)
    return refusePerson('other_team', 'Only people of the workspace of this app can act.');
  if (user.deleted !== false) return refusePerson('deleted', 'The account was deactivated.');
  if (user.is_bot !== false || user.is_app_user === true) return refusePerson('bot', 'Bots cannot act.');
  if (user.is_restricted !== false || user.is_ultra_restricted !== false)
    return refusePerson('guest', 'Guests of the workspace cannot act.');
  if (user.is_email_confirmed !== true || !profile?.email)
    return refusePerson(
      'no_address',
      'Slack names no confirmed address of the account; the app needs users:read.email.',
    );
  return { outcome: 'found', email: profile.email };
}

function refusePerson(code: string, message: string): PersonResult {
  return { outcome: 'refused', failure: { code, message } };
}
