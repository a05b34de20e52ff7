// The roles of callers of the API.

/**
 * The roles of API callers: read; act on sessions; change agents and their knowledge. Each role includes
 * those before it.
 */
export const API_ROLES = ['viewer', 'responder', 'admin'] as const;
/** The role of an API caller. */
export type ApiRole = (typeof API_ROLES)[number];
