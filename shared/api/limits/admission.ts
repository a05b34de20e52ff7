// The checks of a request before it is handled: the limits of its address, its proof, the reading of its body, a place for a
// stream.

import type { Context } from 'hono';
import type { Access } from '../access/access.ts';
import { Problem } from '../problem.ts';
import type { ApiDeps, Caller, Route } from '../route.ts';
import { AddressGate } from './addressGate.ts';
import type { ApiLimits } from './apiLimits.ts';
import { Bodies, type HeldBody } from './bodies.ts';
import { clientAddress } from './clientAddress.ts';
import { OpenStreams, whenSent } from './openStreams.ts';

/** The values that Node's server passes with a request; empty without a connection. */
interface Connection {
  incoming?: { socket?: { remoteAddress?: string } };
}

/** The limits of one instance, and the callers that pass them. */
export function admission(deps: ApiDeps, access: Access, limits: ApiLimits) {
  const gate = new AddressGate(limits);
  return {
    streams: new OpenStreams(limits),
    // Bodies that prove nothing yet do not displace those of callers who did.
    bodies: { ofCallers: new Bodies(limits, deps), ofWebhooks: new Bodies(limits, deps) },
    /**
     * The caller of a request, which is counted for its address before anything else of it is looked at.
     * @param body reads it, for routes that prove their caller by it.
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

/** Reads the body of a request once, however often it is asked for. */
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
