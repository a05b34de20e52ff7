// Times in UTC as people and models read them. Without `Intl`, whose first use delays the page.

/** Names of months, January first. */
export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The time of day to the minute: `18:24 UTC`. */
export const clockText = (at: Date): string => `${at.toISOString().slice(11, 16)} UTC`;

/** Day and time to the minute: `2026-11-22 09:12 UTC`. */
export const minuteText = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Day and time to the second: `2026-11-22 09:12:30 UTC`. */
export const secondText = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** The same as ISO 8601: `2026-11-22T09:12:30Z`. */
export const isoSecond = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;
