// The states that a control plane has of one object, as it is read from a stored result.

/** A field that only a control plane writes. */
export interface StateField {
  value: string | number | boolean;
  /** Its place in the stored text, in UTF-16 units. */
  start: number;
  end: number;
}

/** The name of an object. Labels, annotations and messages never do. */
export interface Identity {
  /** As the call's arguments or the server name it. Absent where nothing does. */
  cluster?: string;
  /** Absent for objects without one, and where a listing does not have it. */
  namespace?: string;
  name: string;
  /** Its controllers, the direct one first: a pod's replica set, then the deployment. */
  owners: readonly { kind: string; name: string }[];
  /** The node of a pod. */
  node?: string;
}

/** A sample: milliseconds since 1970, and its number. */
export type Sample = readonly [ms: number, value: number];

/** The state fields of one object, of one container of a pod, or of one series of samples. */
export interface StateRecord {
  /** The id of its result: `a.r5`. */
  result: string;
  /** `Pod`, `Node`, `Certificate`; `series` for samples. */
  kind: string;
  /** `apps/v1`; '' where the answer does not have it. */
  apiVersion: string;
  identity: Identity;
  /** The container whose fields these are; its pod is `of`. Absent for the fields of the object itself. */
  container?: string;
  of?: StateRecord;
  /** Set where the answer has the API's whole object, so that a missing field is absent. Not in tables. */
  isObject?: boolean;
  /**
   * By the path in the object of the API, with dots: `status.phase`, `status.conditions[Ready].status`. Those
   * of a container by the path in its status: `lastState.terminated.reason`. Tables and `describe` texts are
   * mapped to the same paths by the field list; a table's STATUS of a pod is `status.phase`, or else
   * `status.reason`. Of a series: `samples[0]` …, and the last: `value`.
   */
  fields: ReadonlyMap<string, StateField>;
  /**
   * Of a series: the metric, the functions around it from the outside (`sum`, `rate`), its labels, and the
   * samples in the order of time. The objects that its labels name, as the list states, are the owners of its
   * identity.
   */
  series?: {
    metric: string;
    functions?: readonly string[];
    labels: Readonly<Record<string, string>>;
    samples: readonly Sample[];
  };
}

/** The records of a stored result. */
export interface ReadResult {
  records: readonly StateRecord[];
  /** Whether the answer was read to its end: it was not cut, and nothing in it could not be read. */
  isWhole: boolean;
}
