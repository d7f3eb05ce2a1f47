// What can go wrong with a call.

import type { ProblemDocument, ProblemField } from './types.js';

/** A call that did not succeed. */
export abstract class KeepsakeError extends Error {
  /** The HTTP status, where there was one. */
  abstract readonly status: number | null;
  /** Seconds until another try is welcome, where the answer says so. */
  abstract readonly retryAfter: number | null;
  /** Whether the same call may succeed later: Keepsake is away, slow or busy. */
  abstract readonly passing: boolean;
}

/** Keepsake refused, and says why in a problem document (RFC 9457). */
export class Problem extends KeepsakeError {
  override readonly name = 'Problem';
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  readonly errors: ProblemField[];
  readonly passing: boolean;

  constructor(
    readonly document: ProblemDocument,
    readonly status: number,
    readonly retryAfter: number | null,
  ) {
    super(`${status} ${document.code}: ${document.detail} (${document.request_id})`);
    this.code = document.code;
    this.title = document.title ?? '';
    this.detail = document.detail ?? '';
    this.requestId = document.request_id ?? '';
    this.errors = document.errors ?? [];
    this.passing = status === 429 || status >= 500 || this.code === 'idempotency_in_flight';
  }
}

/** No connection, no answer in time, or an answer that is none of Keepsake's, such as a proxy's page. */
export class NoAnswer extends KeepsakeError {
  override readonly name = 'NoAnswer';
  readonly passing: boolean;

  constructor(
    why: string,
    readonly status: number | null = null,
    readonly retryAfter: number | null = null,
    options?: ErrorOptions,
  ) {
    super(why, options);
    this.passing = status === null || status < 300 || [408, 425, 429].includes(status) || status >= 500;
  }
}
