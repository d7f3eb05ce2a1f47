// One call over HTTP, tried again where that is harmless.

import { randomUUID } from 'node:crypto';

import { KeepsakeError, NoAnswer, Problem } from './problem.js';
import { CALLS, type Call, type ProblemDocument } from './types.js';

/** How long a call may take and how it is tried again, in seconds. */
export interface Pace {
  /** For one try. */
  timeout: number;
  /** For all tries together, with the waits between them. */
  deadline: number;
  /** Before the second try; doubled before each further one, and spread by chance over its upper half. */
  firstWait: number;
  longestWait: number;
  /** Seconds, by a clock that only goes forward. */
  clock: () => number;
  /** Seconds since 1970. */
  now: () => number;
  sleep: (seconds: number) => Promise<void>;
  chance: () => number;
}

export const PACE: Pace = {
  timeout: 10,
  deadline: 30,
  firstWait: 0.25,
  longestWait: 30,
  clock: () => performance.now() / 1000,
  now: () => Date.now() / 1000,
  sleep: (seconds) => new Promise((done) => setTimeout(done, milliseconds(seconds))),
  chance: Math.random,
};

/** The longest wait that `Retry-After` can ask for, in seconds: whatever stands there, after an hour it is tried again. */
const MOST_PATIENCE = 3600;

/** Seconds as timers take them. A timer of more than 24.8 days would be over at once. */
export const milliseconds = (seconds: number): number => Math.min(Math.ceil(seconds * 1000), 2 ** 31 - 1);

/** How long to wait after so many tries. What the answer asks for is the least. */
export function wait(pace: Pace, tries: number, retryAfter: number | null): number {
  const own = Math.min(pace.longestWait, pace.firstWait * 2 ** Math.min(tries - 1, 16));
  return Math.max(own * (0.5 + pace.chance() / 2), retryAfter ?? 0);
}

export const newKey = (): string => randomUUID();

export type CallName = keyof typeof CALLS;

/** What goes with a call. */
export interface Sent {
  path?: Record<string, string>;
  query?: object;
  body?: object | string;
  ifMatch?: number | string | undefined;
  /** The Idempotency-Key. */
  once?: string | undefined;
  /** An answer without one of these is none of Keepsake's. */
  fields?: string[];
}

/** Where Keepsake is, and with which key it is called. */
export class Transport {
  readonly #base: string;
  readonly key: string;

  constructor(
    url: string,
    key: string,
    readonly agent: string | undefined,
    readonly pace: Pace,
  ) {
    if (!/^https?:\/\/[^/]/.test(url)) throw new TypeError('the address of Keepsake begins with http:// or https://');
    // A file ends with a line break.
    this.key = key.trim();
    if (this.key === '') throw new TypeError('a key is needed, such as keep_live_…');
    if (!/^[!-~]+$/.test(this.key)) {
      throw new TypeError('the key has white space or other letters in it than a key has: give one key alone, such as keep_live_…');
    }
    this.#base = url.replace(/\/+$/, '');
  }

  /**
   * Calls by the name of the OpenAPI document, and gives what the answer's body says; `null` where it has none. What may be sent twice
   * is tried again until the deadline, under one Idempotency-Key where the call takes one.
   */
  async call(name: CallName, sent: Sent = {}): Promise<unknown> {
    const call: Call = CALLS[name];
    const { pace } = this;
    const once = call.once ? newKey() : undefined;
    const began = pace.clock();
    for (let tries = 1; ; tries += 1) {
      const seconds = Math.min(pace.timeout, pace.deadline - (pace.clock() - began));
      let pause: number;
      try {
        return await this.attempt(name, seconds, { ...sent, once });
      } catch (error) {
        if (!(error instanceof KeepsakeError) || !error.passing || !(call.again || call.once)) throw error;
        pause = wait(pace, tries, error.retryAfter);
        if (pace.clock() - began + pause >= pace.deadline) throw error;
      }
      await pace.sleep(pause);
    }
  }

  /** Calls once, within so many seconds. */
  async attempt(name: CallName, seconds: number, sent: Sent): Promise<unknown> {
    const call: Call = CALLS[name];
    const path = call.path.replace(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(sent.path?.[part] ?? ''));
    const query = new URLSearchParams();
    for (const [field, value] of Object.entries(sent.query ?? {})) {
      if (value !== undefined && value !== null) query.set(field, String(value));
    }
    if (call.agent && this.agent !== undefined && !query.has('agent')) query.set('agent', this.agent);
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.key}`,
      accept: 'application/json',
      'user-agent': 'keepsake-client-typescript',
    };
    if (sent.once !== undefined) headers['idempotency-key'] = sent.once;
    if (sent.ifMatch !== undefined) headers['if-match'] = typeof sent.ifMatch === 'number' ? `"${sent.ifMatch}"` : sent.ifMatch;
    const init: RequestInit = { method: call.method, headers, redirect: 'manual' };
    if (sent.body !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = typeof sent.body === 'string' ? sent.body : JSON.stringify(sent.body);
    }
    const asked = query.toString();
    const url = `${this.#base}${path}${asked && `?${asked}`}`;
    const answer = await exchange(url, init, Math.max(seconds, 0.001), this.pace.now());
    return expect(answer, sent.fields ?? []);
  }
}

async function exchange(url: string, init: RequestInit, seconds: number, now: number): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(milliseconds(seconds)) });
    text = await response.text();
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    throw new NoAnswer(`no answer: ${String(cause ?? error)}`, null, null, { cause: error });
  }
  return read(response, text, now);
}

function read(response: Response, text: string, now: number): unknown {
  const kind = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const retryAfter = secondsOf(response.headers.get('retry-after'), now);
  const { status } = response;
  let said: unknown = null;
  if (kind === 'application/json' || kind === 'application/problem+json') {
    try {
      said = JSON.parse(text);
    } catch {
      said = null;
    }
  }
  if (response.ok) {
    if (status === 204) return null;
    if (!isObject(said)) throw new NoAnswer(`${status} without an answer of Keepsake's`, status, retryAfter);
    return said;
  }
  if (kind === 'application/problem+json' && isObject(said) && typeof said.code === 'string') {
    throw new Problem(said as unknown as ProblemDocument, status, retryAfter);
  }
  throw new NoAnswer(`${status} without a problem document`, status, retryAfter);
}

/** `Retry-After`: seconds, or a date; an hour at most. */
export function secondsOf(retryAfter: string | null, now: number): number | null {
  if (retryAfter === null) return null;
  if (/^\d+$/.test(retryAfter.trim())) return Math.min(Number(retryAfter), MOST_PATIENCE);
  const at = /[a-z]/i.test(retryAfter) ? Date.parse(retryAfter) / 1000 : Number.NaN;
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), MOST_PATIENCE);
}

/** The answer, where it has these fields; what is JSON without them comes from somewhere else. */
export function expect(answer: unknown, fields: string[]): unknown {
  const missing = fields.filter((field) => !isObject(answer) || !(field in answer));
  if (missing.length > 0) throw new NoAnswer(`an answer without ${missing.join(', ')}`, 200);
  return answer;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
