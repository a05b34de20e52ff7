// How an object states that it is a Secret of Kubernetes, or a list of them, and where its values stand.

import { matchAt } from '../scan/scan.ts';

/** The types of Secrets, and the resources of Terraform that make them. */
const TYPE =
  'Opaque|kubernetes\\.io/(?:tls|basic-auth|ssh-auth|dockercfg|dockerconfigjson|service-account-token)|bootstrap\\.kubernetes\\.io/token|helm\\.sh/release\\.v1|kubernetes_secret(?:_v1)?(?:_data)?';
const KIND = /^Secret(?:List)?$/;
const IS_TYPE = new RegExp(`^(?:${TYPE})$`);

/** The keys of a Secret below which all values are secret. */
export const SECTION = /^(?:data|stringData|binaryData|string_data|binary_data)$/;
/** A key that only Secrets have. */
export const ONLY_OF_SECRETS = /^(?:stringData|string_data)$/;
/** A key that a schema of that key has below it. */
export const OF_SCHEMA = /^(?:type|description|additionalProperties|properties|\$ref)$/;
/** The same, behind the key. */
const SCHEMA_BEHIND =
  /\\{0,7}["']?\s{0,40}:\s{0,40}\{?\s{0,40}\\{0,7}["']?(?:type|description|additionalProperties|properties|\$ref)\\{0,7}["']?\s{0,8}:/y;
/** Whether a key that ends at `end` is one that only Secrets have. */
export const isStringData = (key: string, text: string, end: number): boolean =>
  ONLY_OF_SECRETS.test(key) && matchAt(text, end, SCHEMA_BEHIND) === null;
/** A text of JSON or Python without a match holds no Secret. */
export const MAYBE_SECRET = new RegExp(`["'](?:Secret(?:List)?|${TYPE})\\\\{0,7}["']|stringData|string_data`);

/** Whether an object's field marks it as a Secret. An item of a list of Secrets has no such field. */
export const marksSecret = (key: string, value: string): boolean =>
  key === 'kind' ? KIND.test(value) : key === 'type' && IS_TYPE.test(value);

/** The source of a pattern of such a field, in YAML or without quotes. */
export const SECRET_FIELD = `(?:kind["']?[ \\t]{0,4}:[ \\t]{0,20}["']?Secret(?:List)?\\b|type["']?[ \\t]{0,4}:[ \\t]{0,20}["']?(?:${TYPE})(?![\\w./-])|stringData["']?[ \\t]{0,4}:)["']?`;
