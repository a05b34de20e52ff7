// The people who can open the dashboard of an installation: the first member, or those of the configuration.

import * as z from 'zod';
import { FIRST_MEMBER_ROLE } from '../../shared/config/access.ts';
import { asArray, asText } from '../../shared/text/json.ts';
import type { GoogleApi } from '../google/googleApi.ts';
import { UsageError } from '../process/usageError.ts';
import type { StoredRelease } from './releases.ts';
import { SETTINGS_FILE } from './variables.ts';

type Settings = Record<string, unknown>;

/** The members in the configuration: `group:sre@example.com`. */
const configuredMembers = ({ console_members: members }: Settings): string[] =>
  asArray(members).flatMap((one) => asText(one) ?? []);

/**
 * Checks `--member`.
 * @returns the address in small letters.
 * @throws UsageError when it is no e-mail address, and when the configuration lists the members.
 */
export function checkMember(member: string | undefined, settings: Settings): string | undefined {
  if (member === undefined) return undefined;
  if (!z.email().safeParse(member).success)
    throw new UsageError(`--member ${JSON.stringify(member)} is no e-mail address, such as ada@example.com`);
  if (configuredMembers(settings).length > 0)
    throw new UsageError(
      `${SETTINGS_FILE} lists console_members: add "user:${member}" there, and a role in access.yaml, instead of --member`,
    );
  return member.toLowerCase();
}

/**
 * The first member: the wanted one, else that of the last deployment, else the person who deploys.
 * @returns an e-mail address. Undefined when the configuration lists the members, or no person is known.
 */
export async function findFirstMember(
  google: Pick<GoogleApi, 'personEmail'>,
  {
    settings,
    releases,
    wanted,
  }: { settings: Settings; releases: readonly StoredRelease[]; wanted: string | undefined },
): Promise<string | undefined> {
  if (configuredMembers(settings).length > 0) return undefined;
  return wanted ?? releases.find(({ member }) => member !== undefined)?.member ?? google.personEmail();
}

/** States before the plan who can open the dashboard. */
export function memberLines(settings: Settings, member: string | undefined): string[] {
  const configured = configuredMembers(settings);
  if (configured.length > 0) return [`the dashboard admits ${configured.join(', ')}`];
  return member === undefined
    ? ['the dashboard admits no one: these credentials belong to no person. Name one with --member EMAIL']
    : [`the dashboard admits ${member} as its first member, with the role ${FIRST_MEMBER_ROLE}`];
}

/** The address that opens the dashboard, and for whom, by the outputs of the module. */
export function readDashboard({ console_url: address, console_members: admitted }: Settings): {
  url: string | null;
  members: string[];
  line: string;
} {
  const url = asText(address) ?? null;
  const members = asArray(admitted).flatMap((one) => asText(one)?.replace(/^user:/, '') ?? []);
  const names =
    members.length > 0 ? ` for ${members.join(', ')}` : ' (no one can open it: use --member EMAIL)';
  const line =
    url === null
      ? 'the dashboard has no address: its service `console` was not created'
      : `dashboard${names}: ${url}`;
  return { url, members, line };
}
