// List prices in US dollars, us-central1, without free tiers and discounts, as of November 2026:
// cloud.google.com/firestore/pricing, cloud.google.com/run/pricing, cloud.google.com/pubsub/pricing,
// cloud.google.com/scheduler/pricing, ai.google.dev/gemini-api/docs/pricing.

const HUNDRED_THOUSAND = 100_000;
const MILLION = 1_000_000;

/** For one of each. */
export const PRICES = {
  documentRead: 0.03 / HUNDRED_THOUSAND,
  documentWrite: 0.09 / HUNDRED_THOUSAND,
  /** Of the TTL policy, too, which deletes each document in the end. */
  documentDelete: 0.01 / HUNDRED_THOUSAND,
  /** Published, and again delivered. */
  messageByte: 40 / 2 ** 40,
  call: 0.4 / MILLION,
  cpuSecond: 0.000024,
  gibibyteSecond: 0.0000025,
  scheduledJobMonth: 0.1,
  /** gemini-3.8-flash from 2027 on; until then it is half of it. */
  inputToken: 1.5 / MILLION,
  cachedInputToken: 0.15 / MILLION,
  outputToken: 7.5 / MILLION,
};

/** What Pub/Sub counts for a smaller message. */
export const MIN_MESSAGE_BYTES = 1_000;
