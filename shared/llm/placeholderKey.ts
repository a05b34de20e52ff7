// Apart from the credentials, whose masking the sweep does not need.

/** Sent where a key is formally needed but not checked. */
export const PLACEHOLDER_KEY = 'no-key';
