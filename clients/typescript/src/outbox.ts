// Conversations that are sent in the background, in their order, however long Keepsake is away.

import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { privateFolder, write } from './kept.js';
import { KeepsakeError, NoAnswer, Problem } from './problem.js';
import { milliseconds, newKey, wait, type Pace } from './transport.js';
import type { ConversationPost } from './types.js';

/** A conversation that waits to be sent. */
interface Waiting {
  body: ConversationPost;
  /** Its Idempotency-Key: sent again after an answer was lost, it is taken once. */
  key: string;
  file: string | null;
}

export interface OutboxOptions {
  capacity: number;
  folder: string | undefined;
  pace: Pace;
  refused: ((body: ConversationPost, problem: Problem) => void) | undefined;
  keyRefused: ((error: KeepsakeError) => void) | undefined;
  log: (line: string) => void;
}

/** At most so many conversations. They are sent one after the other, the oldest first; nobody waits for it. */
export class Outbox {
  /** How many were given up because the buffer was full. */
  lost = 0;
  readonly #waiting: Waiting[] = [];
  #running = false;
  #closed = false;
  #number = 0;
  #keyTold = false;
  /** Somebody asked to be quick since the last try began, so the next one comes at once. */
  #hurried = false;
  /** Ends the wait before the next try. */
  #hurry: () => void = () => {};
  #empty: (() => void)[] = [];

  constructor(
    readonly send: (body: string, key: string) => Promise<unknown>,
    readonly options: OutboxOptions,
  ) {
    const { folder } = options;
    if (folder === undefined) return;
    privateFolder(folder);
    for (const name of readdirSync(folder).sort()) {
      if (!name.endsWith('.json')) continue;
      const file = join(folder, name);
      try {
        const [body, key] = JSON.parse(readFileSync(file, 'utf8'));
        this.#waiting.push({ body, key, file });
      } catch {
        options.log(`${name} is no conversation that waits; it stays where it is`);
      }
    }
    this.#start();
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Takes a conversation and returns at once. A full buffer gives up its oldest one. */
  put(body: ConversationPost): void {
    if (this.#closed) throw new TypeError('this client is closed');
    const item: Waiting = { body, key: newKey(), file: this.#file() };
    JSON.stringify(body);
    if (item.file !== null) {
      try {
        write(item.file, [body, item.key]);
      } catch (error) {
        this.options.log(`a conversation waits in memory only: ${(error as { code?: string }).code ?? 'unknown'}`);
      }
    }
    this.#waiting.push(item);
    while (this.#waiting.length > this.options.capacity) {
      this.lost += 1;
      this.options.log('the buffer of conversations is full; the oldest one is given up');
      this.#done(this.#waiting[0]!);
    }
    this.#start();
  }

  /** Tries at once, and waits until all are sent or the time is over. Answers how many wait still. */
  async flush(seconds: number): Promise<number> {
    this.#hurried = true;
    this.#start();
    this.#hurry();
    if (this.#waiting.length > 0) {
      let timer: NodeJS.Timeout | undefined;
      const over = new Promise<void>((done) => {
        timer = setTimeout(done, milliseconds(seconds));
      });
      await Promise.race([new Promise<void>((done) => this.#empty.push(done)), over]);
      clearTimeout(timer);
    }
    return this.#waiting.length;
  }

  /** As `flush`; after it nothing is taken or sent any more, and what is left is told. */
  async close(seconds: number): Promise<number> {
    await this.flush(seconds);
    this.#closed = true;
    this.#hurry();
    const left = this.#waiting.length;
    const where = this.options.folder === undefined ? 'are not sent' : 'wait in the folder for the next process';
    if (left > 0) this.options.log(`closed with conversations that ${where}: ${left}`);
    return left;
  }

  #file(): string | null {
    if (this.options.folder === undefined) return null;
    this.#number += 1;
    const name = [Date.now().toString().padStart(16, '0'), process.pid, this.#number.toString().padStart(6, '0')].join('-');
    return join(this.options.folder, `${name}.json`);
  }

  #done(item: Waiting): void {
    if (this.#waiting[0] === item) this.#waiting.shift();
    if (item.file !== null) rmSync(item.file, { force: true });
    if (this.#waiting.length === 0) {
      for (const done of this.#empty.splice(0)) done();
    }
  }

  #start(): void {
    if (this.#running || this.#closed || this.#waiting.length === 0) return;
    this.#running = true;
    void this.#run().finally(() => {
      this.#running = false;
      // What was put in after the last look found it still running.
      this.#start();
    });
  }

  async #run(): Promise<void> {
    let tries = 0;
    for (;;) {
      const item = this.#waiting[0];
      if (item === undefined || this.#closed) return;
      tries += 1;
      this.#hurried = false;
      const pause = await this.#deliver(item, tries);
      if (pause === null) {
        tries = 0;
        this.#done(item);
      } else {
        await this.#pause(pause);
      }
    }
  }

  /** A wait that `#hurry` ends, and that keeps no process alive. */
  async #pause(seconds: number): Promise<void> {
    if (this.#hurried) return;
    await new Promise<void>((done) => {
      const timer = setTimeout(done, milliseconds(seconds));
      timer.unref();
      this.#hurry = () => {
        clearTimeout(timer);
        done();
      };
    });
    this.#hurry = () => {};
  }

  /** Sends one; `null` where it need not be sent again, else the seconds to wait. */
  async #deliver(item: Waiting, tries: number): Promise<number | null> {
    try {
      await this.send(JSON.stringify(item.body), item.key);
      this.#keyTold = false;
      return null;
    } catch (error) {
      const { refused } = this.options;
      if (error instanceof Problem && error.code === 'idempotency_gone') return null;
      const told = error instanceof KeepsakeError ? error : new NoAnswer(String(error));
      // A key that is not valid now may be so again; what waits is not lost by it.
      if (told.status === 401 || told.status === 403) {
        this.#tellOfKey(told);
      } else if (told instanceof Problem && !told.passing) {
        this.options.log(`a conversation was refused and is not sent again: ${told.message}`);
        this.#tell(() => refused?.(item.body, told));
        return null;
      }
      return wait(this.options.pace, tries, told.retryAfter);
    }
  }

  /** Once, until something was taken: it goes on for as long as nobody gives another key. */
  #tellOfKey(error: KeepsakeError): void {
    if (this.#keyTold) return;
    this.#keyTold = true;
    this.options.log(`the key is refused, and conversations wait until it is valid: ${error.message}`);
    this.#tell(() => this.options.keyRefused?.(error));
  }

  #tell(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.options.log(`what was to be told of a refusal failed: ${String(error)}`);
    }
  }
}
