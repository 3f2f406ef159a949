/** Monitor settings that correspond to an endpoint's conditions. */
export interface Conditions {
  /** Accepted status codes; undefined if no condition names any. */
  readonly statuses: readonly number[] | undefined;
  /** Texts that the body must equal. */
  readonly body: readonly string[];
  /** Texts that the body must contain. */
  readonly contains: readonly string[];
  /** Texts that the body must not contain. */
  readonly lacks: readonly string[];
  readonly maxResponseTimeMs: number | undefined;
  /** Conditions about the expiry of the certificate. */
  readonly certificate: readonly string[];
  /** Conditions that have no counterpart in Tocsin. */
  readonly lost: readonly string[];
}

/** Conditions that need no setting, because every check of Tocsin requires them. */
const IMPLIED = [/^\[CONNECTED\] == true$/, /^\[DNS_RCODE\] == NOERROR$/];

const CERTIFICATE = /^\[CERTIFICATE_EXPIRATION\] >=? /;

/** Status codes that are compared with a condition such as `[STATUS] < 300`. The codes that match are accepted. */
const ALL_STATUSES = Array.from({ length: 400 }, (_, index) => 200 + index);

/** Reads Gatus conditions, such as `[STATUS] == 200`. */
export function conditionsOf(conditions: readonly string[]): Conditions {
  const body: string[] = [];
  const contains: string[] = [];
  const lacks: string[] = [];
  const certificate: string[] = [];
  const lost: string[] = [];
  let statuses: number[] | undefined;
  let maxResponseTimeMs: number | undefined;
  for (const condition of conditions.map((text) => text.trim())) {
    if (IMPLIED.some((pattern) => pattern.test(condition))) continue;
    const [, subject = '', operator = '', value = ''] = /^(\[[A-Z_]+\]) (==|!=|<=?|>=?) (.+)$/.exec(condition) ?? [];
    const pattern = /^pat\(\*([^*?[\]]+)\*\)$/.exec(value)?.[1];
    const accepted = subject === '[STATUS]' ? statusesOf(operator, value) : undefined;
    if (CERTIFICATE.test(condition)) certificate.push(condition);
    else if (accepted) statuses = statuses ? statuses.filter((code) => accepted.includes(code)) : accepted;
    else if (subject === '[RESPONSE_TIME]' && operator.startsWith('<') && /^\d+$/.test(value)) {
      maxResponseTimeMs = Math.min(maxResponseTimeMs ?? Number.POSITIVE_INFINITY, Number(value));
    } else if (subject === '[BODY]' && operator === '==' && pattern !== undefined && contains.length === 0) {
      contains.push(pattern);
    } else if (subject === '[BODY]' && operator === '!=' && pattern !== undefined && lacks.length === 0) {
      lacks.push(pattern);
    } else if (subject === '[BODY]' && operator === '==' && !/^(pat|any|has|len)\(/.test(value) && body.length === 0) {
      body.push(value);
    } else lost.push(condition);
  }
  return { statuses, body, contains, lacks, maxResponseTimeMs, certificate, lost };
}

function statusesOf(operator: string, value: string): number[] | undefined {
  const any = /^any\(([\d, ]+)\)$/.exec(value)?.[1];
  if (operator === '==' && any !== undefined) return any.split(',').map(Number);
  const prefix = /^pat\((\d{1,2})\*\)$/.exec(value)?.[1];
  if (operator === '==' && prefix !== undefined) return ALL_STATUSES.filter((code) => String(code).startsWith(prefix));
  if (!/^\d{3}$/.test(value)) return undefined;
  const bound = Number(value);
  switch (operator) {
    case '==':
      return [bound];
    case '!=':
      return ALL_STATUSES.filter((code) => code !== bound);
    case '<':
      return ALL_STATUSES.filter((code) => code < bound);
    case '<=':
      return ALL_STATUSES.filter((code) => code <= bound);
    case '>':
      return ALL_STATUSES.filter((code) => code > bound);
    case '>=':
      return ALL_STATUSES.filter((code) => code >= bound);
    default:
      return undefined;
  }
}
