// The message of a canary: only this exact body, so that nothing else can be suppressed as one.

/** The body. If it were taken for an alert, its status is test, and its summary the reason. */
export const CANARY_BODY = Buffer.from(
  '{"title":"Canary of Inquest","status":"test","summary":"Published every hour to check the topic of alerts."}',
);

/** The attribute with the token of the installation. */
export const TOKEN_ATTRIBUTE = 'inquestCanary';
/** The attribute with the time of the publication, in ISO 8601. */
export const SENT_ATTRIBUTE = 'inquestCanarySentAt';

/** How long the record is kept after its last change. */
const KEEP_MS = 90 * 24 * 3600 * 1000;

/** When a record expires that is changed now. */
export const canaryExpiry = (now: Date): Date => new Date(now.getTime() + KEEP_MS);
