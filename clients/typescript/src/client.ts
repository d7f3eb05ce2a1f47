// The client of an agent runtime.

import { join } from 'node:path';

import { LastGood, type Kept } from './kept.js';
import { Outbox } from './outbox.js';
import { KeepsakeError, NoAnswer, type Problem } from './problem.js';
import { PACE, Transport, expect, milliseconds, type CallName, type Pace } from './transport.js';
import type {
  Accepted,
  ApprovePost,
  CandidateDetail,
  CandidatePost,
  CandidateView,
  Context,
  ContextItem,
  ContextPost,
  ConversationPost,
  DecisionPost,
  DecisionResult,
  FeedbackPost,
  Found,
  ListCandidatesQuery,
  ListMemoriesQuery,
  MemoryView,
  OperationView,
  ProfileView,
  ProposeAnswer,
  RejectPost,
  RevisionView,
  SearchPost,
} from './types.js';

/** A user: your own id of them, or the pairs of a scope. */
export type User = string | Record<string, string>;

export interface Options {
  /** Needed where the key names several agents. */
  agent?: string;
  /** How long calls may take. */
  pace?: Partial<Pace>;
  /**
   * Keeps conversations that wait, and the last good contexts, over a restart: in the clear, in files of this account, for one process
   * at a time.
   */
  folder?: string;
  /** How many conversations wait at most. Left out: 1,000. */
  capacity?: number;
  /** For how many seconds after Keepsake last confirmed it a context may be used while Keepsake does not answer. Left out: 3,600. */
  staleFor?: number;
  /** Told of each waiting conversation that Keepsake refuses for good. */
  onRefused?: (conversation: ConversationPost, problem: Problem) => void;
  /** Told once when waiting conversations are held up because the key is refused (401, 403). */
  onKeyRefused?: (error: KeepsakeError) => void;
  /** Told in a line, without words of people, what the client does about trouble. Left out: `console.warn`. */
  log?: (line: string) => void;
}

/** What an agent may be told about a user, from Keepsake or, while it is slow or away, from before. */
export interface Told {
  /** What Keepsake answered; `null` where nothing is known. */
  answer: Context | null;
  /** The text for the system prompt; empty where there is none. */
  block: string;
  /** The memories in it. */
  items: ContextItem[];
  /** What `feedback` names. */
  serving: string | null;
  /** Whether it is from before, because Keepsake did not answer this time. */
  stale: boolean;
  /** Seconds since Keepsake last said that this holds. */
  age: number;
  /** Why Keepsake did not answer this time. */
  error: KeepsakeError | null;
}

/** Calls Keepsake with one key. `url` is where Keepsake is, such as `http://127.0.0.1:3000`. */
export class Keepsake {
  readonly #transport: Transport;
  readonly #pace: Pace;
  readonly #caller: unknown[];
  readonly #lastGood: LastGood;
  readonly #outbox: Outbox;

  constructor(url: string, key: string, options: Options = {}) {
    this.#pace = { ...PACE, ...options.pace };
    this.#transport = new Transport(url, key, options.agent, this.#pace);
    this.#caller = [url, this.#transport.key, options.agent ?? null];
    const log = options.log ?? ((line: string) => console.warn(`keepsake: ${line}`));
    const within = (part: string) => (options.folder === undefined ? undefined : join(options.folder, part));
    this.#lastGood = new LastGood(within('contexts'), options.staleFor ?? 3600, this.#pace.now, log);
    const send = (body: string, once: string) =>
      this.#transport.attempt('create_conversation', this.#pace.timeout, { body, once, fields: ['operation'] });
    this.#outbox = new Outbox(send, {
      capacity: options.capacity ?? 1000,
      folder: within('outbox'),
      pace: this.#pace,
      refused: options.onRefused,
      keyRefused: options.onKeyRefused,
      log,
    });
  }

  // Conversations

  /** Sends messages and waits until Keepsake has them. What they lead to is read in the background: see `wait`. */
  async send(conversation: ConversationPost): Promise<Accepted> {
    return (await this.#transport.call('create_conversation', { body: conversation, fields: ['operation'] })) as Accepted;
  }

  /**
   * Sends messages in the background, and again until Keepsake takes them. Returns at once. They go out in the order in which they
   * came. Messages without a time get the present one.
   */
  sendLater(conversation: ConversationPost): void {
    const now = new Date(this.#pace.now() * 1000).toISOString();
    const messages = (conversation.messages ?? []).map((message) => ({ ...message, at: message.at ?? now }));
    this.#outbox.put({ ...conversation, messages });
  }

  /** How many conversations of `sendLater` are not sent yet. */
  get waiting(): number {
    return this.#outbox.size;
  }

  /** How many were given up because too many waited. */
  get lost(): number {
    return this.#outbox.lost;
  }

  /** Tries at once to send what waits, for at most so many seconds. Answers how many wait still. */
  flush(seconds = 10): Promise<number> {
    return this.#outbox.flush(seconds);
  }

  /**
   * As `flush`, and nothing is taken or sent any more. What waits in a folder is sent by the next process that has it. Without it a
   * process that ends waits for what is being sent, not for what has to be tried again.
   */
  close(seconds = 2): Promise<number> {
    return this.#outbox.close(seconds);
  }

  /** What came of a conversation, so far. */
  async operation(id: string): Promise<OperationView> {
    return (await this.#transport.call('get_operation', { path: { id }, fields: ['state'] })) as OperationView;
  }

  /** Asks until the operation has ended, or for so many seconds; then it is answered as it stands: look at its `state`. */
  async wait(id: string, seconds = 60): Promise<OperationView> {
    const began = this.#pace.clock();
    for (let between = 0.1; ; between = Math.min(between * 1.5, 2)) {
      const operation = await this.operation(id);
      const over = this.#pace.clock() - began + between >= seconds;
      if (over || (operation.state !== 'queued' && operation.state !== 'running')) return operation;
      await this.#pace.sleep(between);
    }
  }

  /** Tries an operation that failed or was cut off again; the answer is the new operation. */
  async retry(id: string): Promise<OperationView> {
    return (await this.#transport.call('retry_operation', { path: { id }, fields: ['state'] })) as OperationView;
  }

  // What the agent is told

  /**
   * What is approved about a user, within so many seconds, whatever happens to Keepsake.
   *
   * Where Keepsake is slow or away, the last good answer for this user, layout and budget takes its place: `stale`, with its `age`.
   * Where Keepsake refuses, nothing does. `orThrow` throws the error instead of either.
   *
   * `if_changed` is this method's own: what is unchanged is not sent again. An answer that comes too late is kept for the next time.
   */
  async context(ask: ContextPost, { timeout = 0.8, orThrow = false } = {}): Promise<Told> {
    const conversation = ask.conversation_id ?? null;
    const user = ask.scope ? Object.entries(ask.scope).sort() : ask.user_id ?? null;
    const form = [ask.layout ?? null, ask.max_tokens ?? null, ask.model_window ?? null];
    const name = LastGood.named(this.#caller, user, form);
    const kept = this.#lastGood.get(name);
    const { if_changed: _, ...body } = ask;
    // What is unchanged is not recorded as served, so a conversation that was not told yet asks for the whole.
    const seen = kept !== null && kept.conversation === conversation ? { if_changed: kept.answer.etag } : {};
    const call = this.#ask(name, { ...body, ...seen }, kept, conversation);
    try {
      return told(await within(timeout, call));
    } catch (error) {
      if (!(error instanceof KeepsakeError) || orThrow) throw error;
      if (kept === null || !error.passing) return { ...told(null), error };
      return { ...told(kept.answer), stale: true, age: Math.max(0, this.#pace.now() - kept.confirmed), error };
    }
  }

  /** Tells whether a memory that was served helped. */
  async feedback(report: FeedbackPost): Promise<void> {
    await this.#transport.call('report_feedback', { body: report });
  }

  /** Proposes a memory by hand; it waits for a person. */
  async propose(candidate: CandidatePost): Promise<ProposeAnswer> {
    return (await this.#transport.call('propose_candidate', { body: candidate, fields: ['outcome'] })) as ProposeAnswer;
  }

  /** Approved memories that hold some words, the best first. */
  async search(search: SearchPost): Promise<Found[]> {
    return (await this.#rows<Found>('search_memories', { body: search })).data;
  }

  /** Approved memories, page after page. */
  memories(query: ListMemoriesQuery = {}): AsyncGenerator<MemoryView> {
    return this.#pages<MemoryView>('list_memories', query);
  }

  /** One memory. */
  async memory(id: string): Promise<MemoryView> {
    return (await this.#transport.call('get_memory', { path: { id }, fields: ['revision'] })) as MemoryView;
  }

  /** Every version of a memory, the newest first. */
  async revisions(id: string): Promise<RevisionView[]> {
    return (await this.#rows<RevisionView>('list_revisions', { path: { id } })).data;
  }

  /** The profiles of a user: schema, then field, then value. */
  async profile(user: User): Promise<ProfileView> {
    return (await this.#transport.call('get_profile', { path: { id: spelled(user) }, fields: ['profiles'] })) as ProfileView;
  }

  // For a person's key

  /** The queue and what was decided, page after page. */
  candidates(query: ListCandidatesQuery = {}): AsyncGenerator<CandidateView> {
    return this.#pages<CandidateView>('list_candidates', query);
  }

  /** One candidate, with everything a decision needs. */
  async candidate(id: string): Promise<CandidateDetail> {
    return (await this.#transport.call('get_candidate', { path: { id }, fields: ['version'] })) as CandidateDetail;
  }

  /** Approves a candidate, as it is or changed. `ifMatch` is the version that was seen. */
  async approve(id: string, changes: ApprovePost = {}, { ifMatch }: { ifMatch?: number | '*' } = {}): Promise<CandidateView> {
    const sent = { path: { id }, body: changes, ifMatch, fields: ['version'] };
    return (await this.#transport.call('approve_candidate', sent)) as CandidateView;
  }

  /** Rejects a candidate for a reason. `ifMatch` is the version that was seen. */
  async reject(id: string, why: RejectPost, { ifMatch }: { ifMatch?: number | '*' } = {}): Promise<CandidateView> {
    const sent = { path: { id }, body: why, ifMatch, fields: ['version'] };
    return (await this.#transport.call('reject_candidate', sent)) as CandidateView;
  }

  /** Decides on several candidates; each stands or falls alone. */
  async decide(decisions: DecisionPost[]): Promise<DecisionResult[]> {
    const answer = await this.#transport.call('decide_candidates', { body: { decisions }, fields: ['results'] });
    return (answer as { results: DecisionResult[] }).results;
  }

  async #ask(name: string, body: ContextPost, kept: Kept | null, conversation: string | null): Promise<Context> {
    const asked = this.#pace.clock();
    let answer: unknown;
    try {
      answer = await this.#transport.attempt('ask_context', this.#pace.timeout, { body, fields: ['etag'] });
    } catch (error) {
      if (error instanceof KeepsakeError && [401, 403, 404].includes(error.status ?? 0)) this.#lastGood.forget(name);
      throw error;
    }
    const { unchanged, etag } = answer as { unchanged?: unknown; etag: unknown };
    if (kept !== null && unchanged === true && etag === kept.answer.etag) answer = kept.answer;
    const context = expect(answer, ['block', 'items', 'serving']) as Context;
    this.#lastGood.put(name, { answer: context, conversation, confirmed: this.#pace.now(), asked });
    return context;
  }

  async #rows<T>(name: CallName, sent: { path?: Record<string, string>; body?: object; query?: object }) {
    return (await this.#transport.call(name, { ...sent, fields: ['data'] })) as { data: T[]; next?: string | null };
  }

  async *#pages<T>(name: CallName, query: object): AsyncGenerator<T> {
    for (let cursor: object = {}; ; ) {
      const { data, next } = await this.#rows<T>(name, { query: { ...query, ...cursor } });
      yield* data;
      if (!next) return;
      cursor = { cursor: next };
    }
  }
}

function told(answer: Context | null): Told {
  return {
    answer,
    block: answer?.block ?? '',
    items: answer?.items ?? [],
    serving: answer?.serving ?? null,
    stale: false,
    age: 0,
    error: null,
  };
}

/** A user as a path names one. What a path would take for something else is spelled as the pairs it stands for. */
export function spelled(user: User): string {
  if (typeof user === 'string' && user !== '.' && user !== '..' && !user.startsWith('{')) return user;
  return JSON.stringify(typeof user === 'string' ? { user_id: user } : user);
}

/** Waits for work no longer than so many seconds; it goes on alone. */
async function within<T>(seconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new NoAnswer(`no answer within ${seconds} s`)), milliseconds(seconds));
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
