// Limits of models and observed systems that all instances share, and what a process keeps about them.

/** The limits of a model in each minute, for all instances together. */
export interface ModelQuota {
  /** Requests of a minute. Absent: no limit. */
  rpm?: number | undefined;
  /** Tokens of a minute, answers included. Absent: no limit. */
  tpm?: number | undefined;
}

/** The limits of an observed system, for all instances together. */
export interface ServerQuota {
  /** Calls that run at the same time. Absent: no limit. */
  concurrency?: number | undefined;
  /** Calls of a minute. Absent: no limit. */
  perMinute?: number | undefined;
  /** UTF-8 bytes of the results of an hour. Absent: no limit. */
  bytesPerHour?: number | undefined;
}

/** The limits of the configuration. */
export interface QuotaLimits {
  /** By provider and id of the model: `google/gemini-3.8-flash`. */
  models: Readonly<Record<string, ModelQuota>>;
  /** By the name of the server in servers.yaml. */
  servers: Readonly<Record<string, ServerQuota>>;
}

/** For whom a quota is used. */
export interface Claimant {
  /** The tenant of the session. */
  tenant: string;
  /** Whether the alert is critical or worse: such sessions come first. */
  isCritical: boolean;
}

/** The use of a document of a minute, as a process knows it. */
export interface MinuteUse {
  /** The name of what is counted. */
  resource: string;
  /** The minute, counted from the epoch. */
  minute: number;
  /** The number of the document. */
  shard: number;
  /** Units of all. */
  used: number;
  /** Units are used when they are taken, and each write takes the same part of a document. */
  held: 0;
  instances: 1;
  /** Units by claimant. */
  by: Readonly<Record<string, number>>;
  /** Whether the provider refused a request. */
  isSlowed: boolean;
  /** When the document was read or written last, in epoch milliseconds. */
  at: number;
  /** Units that the process has taken and not used: how many, and the number of the last one. */
  slices: { key: string; left: number; last: number }[];
}

/** A slot of a server that the process holds, and that no call uses. */
export interface KeptSlot {
  /** Its name in the document. */
  name: string;
  /** The document that has it. */
  shard: number;
  /** Until when it is held. */
  until: Date;
}

/** The quotas of a process. */
export interface Quotas {
  /** The limits of the configuration. */
  limits: QuotaLimits;
  /** A number below 1, which spreads processes over documents. Drawn at the first use. */
  home?: number;
  /** What the process knows of minutes, by path. Starts empty. */
  minutes: Map<string, MinuteUse>;
  /** Used units that the process has not counted yet, by resource. Starts empty. */
  uncounted: Map<string, number>;
  /** Slots that no call uses, by server. Starts empty. */
  slots: Map<string, KeptSlot[]>;
  /** The last minute with a refusal of the provider, counted from the epoch, by resource. Starts empty. */
  slowed: Map<string, number>;
  /** The claimants of sessions that the process has read, by session. Starts empty. */
  claimants: Map<string, Claimant>;
}

/** The quotas of a process that has used none. */
export function createQuotas(limits: QuotaLimits): Quotas {
  return {
    limits,
    minutes: new Map(),
    uncounted: new Map(),
    slots: new Map(),
    slowed: new Map(),
    claimants: new Map(),
  };
}
