// Checks a request before it is handled: address limits, caller, size of the body, open streams.

import type { Context } from 'hono';
import type { Headers } from '../../kits/tenants/requestTenant.ts';
import { Problem } from '../http/problem.ts';
import type { Access, ApiDeps, Caller, Route } from '../http/route.ts';
import { AddressGate, type Entry } from './addressRateLimit.ts';
import type { ApiLimits } from './apiLimits.ts';
import { Bodies, type HeldBody } from './bodyLimit.ts';
import { clientAddress } from './clientAddress.ts';
import { countRequest, perMinute } from './rateLimit.ts';
import { OpenStreams, whenSent } from './streamLimit.ts';

/** The values that Node's server passes with a request; empty without a connection. */
interface Connection {
  /** Node's own request. */
  incoming?: { socket?: { remoteAddress?: string } };
}

/** Creates the limits of one instance. */
export function createAdmission(deps: ApiDeps, access: Access, limits: ApiLimits) {
  const enter = createGates(access, limits);
  return {
    streams: new OpenStreams(limits),
    // Webhooks are verified by their body. Unverified bodies must not displace bodies of identified callers.
    bodies: { ofCallers: new Bodies(limits, deps), ofWebhooks: new Bodies(limits, deps) },
    /**
     * Identifies the caller of a request. Counts the request for its address first.
     * @param body reads the body, for routes that verify it.
     * @throws Problem `RATE_LIMITED`; the errors of `access` and of the route's `identify`.
     */
    async callerOf(
      context: Context,
      route?: Pick<Route, 'identify'>,
      body?: () => Promise<Buffer>,
    ): Promise<Caller> {
      const { headers } = context.req.raw;
      const { incoming } = (context.env ?? {}) as Connection;
      const forwardedFor = headers.get('x-forwarded-for') ?? undefined;
      const address = clientAddress(forwardedFor, incoming?.socket?.remoteAddress, limits.proxies);
      const identify = route?.identify;
      const given = Object.fromEntries(headers);
      const entry = await enter(identify ? 'webhook' : given, address);
      try {
        const caller =
          identify && body ? await identify({ headers, body }, deps) : await access(given, address);
        await entry?.prove();
        return caller;
      } catch (error) {
        if (error instanceof Problem && error.code === 'RATE_LIMITED') await entry?.refund();
        throw error;
      }
    },
  };
}

/**
 * Creates the limits by address. Webhooks have their own: behind a tunnel they share an address with all
 * callers.
 * @returns counts a webhook, or a request with these headers; undefined for a request that is not counted.
 */
function createGates(access: Access, limits: ApiLimits) {
  const callers = new AddressGate(limits);
  const webhooks = new AddressGate(limits);
  const webhooksPerMinute = perMinute(limits.webhooksPerMinute);
  return async (request: Headers | 'webhook', address: string): Promise<Entry | undefined> => {
    if (request !== 'webhook') return access.recognises?.(request) ? undefined : callers.enter(address);
    const entry = await webhooks.enter(address);
    await countRequest(webhooksPerMinute, address, TOO_MANY_WEBHOOKS);
    return entry;
  };
}

const TOO_MANY_WEBHOOKS =
  'too many webhooks from this address in a minute: wait, or raise webhooksPerMinute in access.yaml';

/** Reads the body of a request at most once. `release` frees its memory in the limits. */
export function bodyReader(request: Request, bodies: Bodies): { read(): Promise<Buffer>; release(): void } {
  let reading: Promise<HeldBody> | undefined;
  return {
    async read() {
      reading ??= bodies.read(request);
      return (await reading).bytes;
    },
    release: () => void reading?.then(({ release }) => release()).catch(() => {}),
  };
}

/** Answers with a stream. @param release releases its slot when it ends or fails to start. */
export async function openStream(release: () => void, handle: () => Promise<Response>): Promise<Response> {
  try {
    return whenSent(await handle(), release);
  } catch (error) {
    release();
    throw error;
  }
}
