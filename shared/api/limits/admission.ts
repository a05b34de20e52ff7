// Checks a request before it is handled: limits of its address, identity of its caller, size of its body, open streams.

import type { Context } from 'hono';
import { Problem } from '../http/problem.ts';
import type { Access, ApiDeps, Caller, Route } from '../http/route.ts';
import { AddressGate } from './addressGate.ts';
import type { ApiLimits } from './apiLimits.ts';
import { Bodies, type HeldBody } from './bodies.ts';
import { clientAddress } from './clientAddress.ts';
import { OpenStreams, whenSent } from './openStreams.ts';

/** The values that Node's server passes with a request; empty without a connection. */
interface Connection {
  /** Node's own request. */
  incoming?: { socket?: { remoteAddress?: string } };
}

/** Creates the limits of one instance. */
export function createAdmission(deps: ApiDeps, access: Access, limits: ApiLimits) {
  const gate = new AddressGate(limits);
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
      const entry = await gate.enter(address, { isWebhook: route?.identify !== undefined });
      try {
        const caller =
          route?.identify && body
            ? await route.identify({ headers, body }, deps)
            : await access(Object.fromEntries(headers), address);
        await entry.prove();
        return caller;
      } catch (error) {
        if (error instanceof Problem && error.code === 'RATE_LIMITED') await entry.refund();
        throw error;
      }
    },
  };
}

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
