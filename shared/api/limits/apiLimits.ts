// Rate limits of an API instance for a caller, an address, and all of them.

/** Limits of one instance; access.yaml sets the first five. */
export interface ApiLimits {
  /** How many proxies before the API append to `X-Forwarded-For`: 1 on Cloud Run, 2 with a load balancer before it. */
  proxies: number;
  /** Requests of an address in a minute that prove no caller; all addresses that never did have ten times as many. */
  unauthenticatedPerMinute: number;
  /** Webhooks of an address in a minute, proved or not. */
  webhooksPerMinute: number;
  /** Streams that a caller has open at the same time. */
  streamsPerCaller: number;
  /** Streams that all callers have open at the same time. */
  streamsPerInstance: number;
  /** Milliseconds for the whole body of a request. */
  bodyMs: number;
  /** Bytes of bodies in memory: those of webhooks, and as many of all other requests. */
  bodyBytes: number;
}

/** The default limits. */
export const DEFAULT_LIMITS: ApiLimits = {
  proxies: 1,
  unauthenticatedPerMinute: 600,
  webhooksPerMinute: 600,
  streamsPerCaller: 20,
  // Cloud Run sends an instance 200 requests at the same time; some must be left for those that are no streams.
  streamsPerInstance: 150,
  bodyMs: 15_000,
  // Of the 512 MB of an instance: 30 bodies of the largest size, twice.
  bodyBytes: 33_000_000,
};
