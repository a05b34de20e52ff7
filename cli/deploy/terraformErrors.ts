// The failures of Terraform and of Google's APIs that a user can fix, recognised by their documented texts.

import { describeCause, errorMessage } from '../../shared/core/errors.ts';
import type { Target } from './target.ts';

/** A failure and its fix. */
interface Problem {
  id: string;
  /** One sentence: the cause. */
  cause: string;
  /** The remedy, with the exact command where there is one. */
  fix: string;
}

interface Circumstances extends Pick<Target, 'project' | 'region' | 'stateBucket' | 'folder'> {
  /** `terraform` or `tofu`. */
  binary: string;
  /** The current time, to which the age of a lock is compared. */
  now: Date;
}

interface Row {
  id: string;
  /** Searched in the text without frames, colours and line breaks. */
  pattern: RegExp;
  explain(found: RegExpExecArray, at: Circumstances): Omit<Problem, 'id'>;
}

/** A lock this old belongs to a process that died, unless an apply waits for an hour. */
const STALE_LOCK_MS = 60 * 60_000;

/** In the order in which they are tried: the first row that matches is the problem. */
export const PROBLEMS: readonly Row[] = [
  {
    id: 'state-not-saved',
    pattern: /Failed to persist state to backend|errored\.tfstate/,
    explain: (_, at) => ({
      cause: 'resources were changed, but the record of them could not be written to the bucket of the state',
      fix: `do not deploy again before this has succeeded: ${at.binary} -chdir=${at.folder} state push errored.tfstate`,
    }),
  },
  {
    id: 'state-denied',
    pattern:
      /(?:tflock\S* failed|querying Cloud Storage failed|Failed to get existing workspaces)\S* .*Error 403/,
    explain: (_, at) => ({
      cause: `gs://${at.stateBucket} cannot be read or written`,
      fix: `ask for roles/storage.objectAdmin on gs://${at.stateBucket}, or name another bucket with --state`,
    }),
  },
  {
    id: 'state-locked',
    pattern: /Error acquiring the state lock/,
    explain: explainLock,
  },
  {
    id: 'state-bucket-missing',
    pattern: /storage: bucket doesn't exist|The specified bucket does not exist/,
    explain: (_, at) => ({
      cause: `gs://${at.stateBucket} does not exist any more`,
      fix: 'restore the deleted bucket within its soft-delete time (7 days by default): `gcloud storage restore`. Without its state, resources that exist have to be imported or deleted by hand',
    }),
  },
  {
    id: 'plan-stale',
    pattern: /Saved plan is stale/,
    explain: () => ({
      cause: 'another deployment changed the state after the plan was made',
      fix: 'run the command again; it makes a new plan',
    }),
  },
  {
    id: 'interrupted',
    pattern: /Interrupt received|interrupts? received|operation canceled/i,
    explain: () => ({
      cause: 'the deployment was interrupted; the state has the resources that were created until then',
      fix: 'run the command again; it continues with the missing resources',
    }),
  },
  {
    id: 'terraform-version',
    pattern: /Unsupported (?:Terraform|OpenTofu) Core version/,
    explain: (_, at) => ({
      cause: `${at.binary} is of a version that the module does not support`,
      fix: 'install Terraform or OpenTofu 1.5.7 or later, or deploy from Cloud Shell',
    }),
  },
  {
    id: 'providers-unreachable',
    pattern:
      /Failed to query available provider packages|Failed to install provider|could not query provider registry/,
    explain: () => ({
      cause: 'the Google providers could not be downloaded',
      fix: 'allow registry.terraform.io and releases.hashicorp.com, configure a provider mirror, or deploy from Cloud Shell',
    }),
  },
  {
    id: 'network',
    pattern:
      /([\w.-]+) cannot be reached|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)|dial tcp: lookup ([\w.-]+)|(?:request to https|Get "https):\/\/([\w.-]+)\S* (?:failed, reason: (?:connect E|read E)|dial tcp|net\/http: TLS handshake timeout)/,
    explain: (found) => {
      const host = found.slice(1).find((group) => group !== undefined);
      return {
        cause: `${host} cannot be reached from this machine`,
        fix: 'check the connection, and run the command again. Behind a proxy, set HTTPS_PROXY and NODE_USE_ENV_PROXY=1',
      };
    },
  },
  {
    id: 'credentials-missing',
    pattern: /could not find default credentials|Could not load the default credentials/,
    explain: () => ({
      cause: 'there are no credentials for Google Cloud',
      fix: '`gcloud auth application-default login` (https://cloud.google.com/sdk/docs/install), or run the command in Cloud Shell (https://shell.cloud.google.com), which has credentials and Terraform',
    }),
  },
  {
    id: 'credentials-expired',
    pattern: /invalid_grant|invalid_rapt|reauth related error|Error 401|answered 401/,
    explain: () => ({
      cause: 'the credentials for Google Cloud have expired',
      fix: 'gcloud auth application-default login',
    }),
  },
  {
    id: 'quota-project',
    pattern:
      /USER_PROJECT_DENIED|serviceusage\.services\.use|requires a quota project|end user credentials from the Google Cloud SDK/,
    explain: (_, at) => ({
      cause: `the credentials cannot use ${at.project} for the quota of requests`,
      fix: `gcloud auth application-default set-quota-project ${at.project}; this needs roles/serviceusage.serviceUsageConsumer`,
    }),
  },
  {
    id: 'billing',
    pattern:
      /UREQ_PROJECT_BILLING_NOT_FOUND|BILLING_DISABLED|[Bb]illing account for project|absent billing account|accountDisabled|requires billing to be enabled|[Bb]illing (?:is disabled|must be enabled)/,
    explain: (_, at) => ({
      cause: `${at.project} has no active billing account`,
      fix: `gcloud billing projects link ${at.project} --billing-account=ACCOUNT, or https://console.cloud.google.com/billing/linkedaccount?project=${at.project}`,
    }),
  },
  {
    id: 'api-disabled',
    pattern: /has not been used in project \S+ before or it is disabled|SERVICE_DISABLED|accessNotConfigured/,
    explain: explainDisabledApi,
  },
  {
    id: 'org-policy',
    pattern:
      /constraints\/[\w./-]*\w|org(?:anization)? policy|One or more users named in the policy do not belong to a permitted customer/,
    explain: ([constraint]) => ({
      cause: `a policy of the organization forbids it${constraint?.startsWith('constraints/') ? `: ${constraint}` : ''}`,
      fix: 'ask an administrator of organization policies for an exception, or see docs/deploy.md for the settings that avoid it',
    }),
  },
  {
    id: 'act-as',
    pattern: /iam\.service[aA]ccounts\.actAs/,
    explain: (_, at) => ({
      cause: 'the deployer cannot run services as their service accounts',
      fix: `gcloud projects add-iam-policy-binding ${at.project} --member=DEPLOYER --role=roles/iam.serviceAccountUser`,
    }),
  },
  {
    id: 'right-missing',
    pattern:
      /Permission '?([a-z][\w]*\.[\w.]+\w)'? (?:is required|denied|missing)|Required '([\w.]+)' permission|does not have ([a-z]\w*\.[\w.]+\w) access|IAM_PERMISSION_DENIED|Policy update access denied|caller does not have permission|PERMISSION_DENIED/,
    explain: (found, at) => {
      const right = found.slice(1).find((group) => group !== undefined);
      return {
        cause: `the deployer has not the right ${right ?? 'to do this'} in ${at.project}`,
        fix: `ask for a role that contains ${right ?? 'it'}; docs/deploy.md lists the roles of the deployer`,
      };
    },
  },
  {
    id: 'project-unknown',
    pattern:
      /CONSUMER_INVALID|Project '?\S+ not found or deleted|project .* (?:may not exist|does not exist|is not found)|Unknown project id/i,
    explain: (_, at) => ({
      cause: `the project ${at.project} does not exist, or the credentials cannot see it`,
      fix: 'check --project; `gcloud projects list` lists the projects that you can see',
    }),
  },
  {
    id: 'quota-instances',
    pattern:
      /Max instances must be set to (\d+) or fewer|maxScale may not exceed (\d+)|CpuAllocPerProjectRegion|MemAllocPerProjectRegion/,
    explain: (found, at) => ({
      cause: `the quota of Cloud Run in ${at.region} does not allow so many instances${found[1] || found[2] ? ` (allowed: ${found[1] ?? found[2]})` : ''}`,
      fix: `request more at https://console.cloud.google.com/iam-admin/quotas?project=${at.project}, choose another region, or lower the maximum of instances`,
    }),
  },
  {
    id: 'quota',
    pattern:
      /Quota exceeded|quotaExceeded|RESOURCE_EXHAUSTED|RATE_LIMIT_EXCEEDED|rateLimitExceeded|Error 429/,
    explain: (_, at) => ({
      cause: 'a quota of the project is used up',
      fix: `wait a minute and run the command again; if it repeats, see https://console.cloud.google.com/iam-admin/quotas?project=${at.project}`,
    }),
  },
  {
    id: 'secret-missing',
    pattern: /[Ss]ecret (?:[Vv]ersion )?\[?(?:projects\/[^/\s]+\/secrets\/([\w-]+)\S*)\]? (?:was )?not found/,
    explain: ([, secret = 'a secret']) => ({
      cause: `${secret} has no version`,
      fix: 'add one with `inquest deploy secret NAME`, and deploy again',
    }),
  },
  {
    id: 'deletion-protected',
    pattern: /deletion_protection|delete protection|deleteProtection|cannot destroy .* without/i,
    explain: () => ({
      cause: 'a resource is protected against deletion',
      fix: 'docs/deploy.md describes how to end an installation of the tier production',
    }),
  },
  {
    id: 'bucket-taken',
    pattern: /requested bucket name is not available|bucket namespace is shared/,
    explain: (_, at) => ({
      cause: `another project has a bucket with the name ${at.stateBucket}, or with that of the releases`,
      fix: 'choose another --name, or --state for the bucket of the state',
    }),
  },
  {
    id: 'state-lost',
    pattern: /Error 409:.*already ?exists|alreadyExists|ALREADY_EXISTS/i,
    explain: (_, at) => ({
      cause:
        'a resource exists, but the state does not know it: the state was lost, or belongs to another installation',
      fix: `list earlier versions of the state: gcloud storage ls --all-versions gs://${at.stateBucket}/**; copy the last good one over default.tfstate. For a second installation choose another --name`,
    }),
  },
  {
    id: 'not-yet-consistent',
    pattern:
      /Service account \S+ does not exist|Error 400:.*[Ss]ervice account.*does not exist|Error 409:.*(?:concurrent|aborted)|ABORTED/,
    explain: () => ({
      cause: 'Google had not yet published an earlier change everywhere',
      fix: 'wait a minute and run the command again; it continues with the missing resources',
    }),
  },
  {
    id: 'google-unavailable',
    pattern: /Error 50[0234]|answered 50[0234]|backendError|UNAVAILABLE/,
    explain: () => ({
      cause: 'Google did not answer',
      fix: 'run the command again; https://status.cloud.google.com lists incidents',
    }),
  },
];

/** The text without colours, frames of messages and line breaks, so that wrapped sentences are found. */
function stripTerminalCodes(output: string): string {
  return (
    output
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of colours
      .replace(/\u001b\[[0-9;]*m/g, '')
      .replace(/[│╷╵]/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  );
}

/** The problem in an output or error; undefined when it is none of the known ones. */
export function findDeployProblem(output: string, at: Circumstances): Problem | undefined {
  const text = stripTerminalCodes(output);
  for (const { id, pattern, explain } of PROBLEMS) {
    const found = pattern.exec(text);
    if (found !== null) return { id, ...explain(found, at) };
  }
  return undefined;
}

/** The problem in an error of Google's APIs or clients; undefined for an unknown one. */
export function problemOfError(error: unknown, target: Target): Problem | undefined {
  return findDeployProblem(`${errorMessage(error)}\n${describeCause(error)}`, {
    ...target,
    binary: 'terraform',
    now: new Date(),
  });
}

function explainLock(found: RegExpExecArray, at: Circumstances): Omit<Problem, 'id'> {
  const text = found.input;
  const id = /\bID: (\S+)/.exec(text)?.[1];
  const holder = /\bWho: (\S+)/.exec(text)?.[1];
  const created = new Date(
    (/\bCreated: (\S+ \S+)/.exec(text)?.[1] ?? '')
      .replace(/(\.\d{3})\d*$/, '$1')
      .replace(' ', 'T')
      .concat('Z'),
  );
  const isDated = !Number.isNaN(created.getTime());
  const since = isDated ? ` since ${created.toISOString()}` : '';
  const unlock = `${at.binary} -chdir=${at.folder} force-unlock ${id ?? 'ID'}`;
  if (isDated && at.now.getTime() - created.getTime() > STALE_LOCK_MS)
    return {
      cause: `${holder ?? 'a process'} holds the lock of the state${since}, and probably died`,
      fix: `make sure that no deployment of ${holder ?? 'another process'} runs, then: ${unlock}`,
    };
  return {
    cause: `another deployment runs: ${holder ?? 'a process'} holds the lock of the state${since}`,
    fix: `wait for its end and run the command again. If its process died: ${unlock}`,
  };
}

function explainDisabledApi({ input }: RegExpExecArray, at: Circumstances): Omit<Problem, 'id'> {
  const api =
    /([a-z]+\.googleapis\.com)\/overview/.exec(input)?.[1] ??
    /"service": "([a-z]+\.googleapis\.com)"/.exec(input)?.[1] ??
    /([a-z]+\.googleapis\.com) answered/.exec(input)?.[1];
  return {
    cause: `${api ?? 'an API'} is not enabled in ${at.project}, or was enabled less than some minutes ago`,
    fix: `gcloud services enable ${api ?? 'serviceusage.googleapis.com'} --project=${at.project}, wait some minutes, and run the command again`,
  };
}
