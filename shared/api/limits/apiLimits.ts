// Limits of an API instance: for a caller, for an address, and in total.

/** Limits of one instance; access.yaml sets the first five. */
export interface ApiLimits {
  /** How many proxies append to `X-Forwarded-For`: 1 on Cloud Run, 2 with a load balancer. */
  proxies: number;
  /** Requests per minute of an address without an identified caller; ten times as many for all together. */
  unauthenticatedPerMinute: number;
  /** Webhooks per minute of an address, verified or not. */
  webhooksPerMinute: number;
  /** Streams that a caller has open at the same time. */
  streamsPerCaller: number;
  /** Streams that all callers have open at the same time. */
  streamsPerInstance: number;
  /** Milliseconds for the whole body of a request. */
  bodyMs: number;
  /** Bytes of webhook bodies in memory. Bodies of all other requests have the same limit. */
  bodyBytes: number;
}

/** The default limits. */
export const DEFAULT_LIMITS: ApiLimits = {
  proxies: 1,
  unauthenticatedPerMinute: 600,
  webhooksPerMinute: 600,
  streamsPerCaller: 20,
  // Cloud Run sends an instance 200 requests at once; some must remain for requests without stream.
  streamsPerInstance: 150,
  bodyMs: 15_000,
  // Of the 512 MB of an instance: 30 bodies of the largest size, twice.
  bodyBytes: 33_000_000,
};
