// The addresses of features that can be off, for the answer about them: a build leaves out their routes.

import { CHANGE_SOURCES } from '../alerts/sources.ts';
import type { Off, Switchable } from '../contract/switches.ts';

const ADDRESSES: Readonly<Partial<Record<Switchable, RegExp>>> = {
  deliveries: /^\/v1\/(?:sessions\/[^/]+\/deliveries|slack)(?:\/|$)/,
  changes: new RegExp(
    `^/v1/(?:changes(?:/|$)|sessions/[^/]+/changes$|webhooks/(?:${CHANGE_SOURCES.join('|')})$)`,
  ),
  knowledge: /^\/v1\/(?:knowledge|memory)(?:\/|$)/,
  schedules: /^\/v1\/(?:schedules|checks)(?:\/|$)/,
  chat: /^(?:\/v1)?\/(?:models(?:\/|$)|chat\/completions$|responses(?:\/|$))|^\/v1\/(?:chats|messages(?:\/count_tokens)?|sessions\/[^/]+\/questions)$/,
  topology: /^\/v1\/(?:sessions\/[^/]+\/)?topology$/,
};

/** The feature that an address belongs to, if it is off. */
export const offFeature = (off: Off, path: string): Switchable | undefined =>
  [...off].find((feature) => ADDRESSES[feature]?.test(path));
