// The last good context of each user, for when Keepsake is slow or away.

import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Context } from './types.js';

/** So many are kept in memory; the one not asked for the longest goes first. */
const MOST = 1000;

/** A context, and when Keepsake last said that it holds. */
export interface Kept {
  answer: Context;
  /** For which conversation it was served. */
  conversation: string | null;
  /** Seconds since 1970. */
  confirmed: number;
  /** By the clock of this process: what was asked for later is newer. 0 from a file. */
  asked: number;
}

/** The folder, made for this account alone. */
export function privateFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Writes JSON whole or not at all, readable by this account alone. */
export function write(path: string, value: unknown): void {
  const part = `${path}.${randomUUID()}.part`;
  try {
    writeFileSync(part, JSON.stringify(value), { mode: 0o600, flag: 'wx' });
    chmodSync(part, 0o600);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Keeps contexts by name, in memory and, where a folder is given, in files. Files hold the texts in the clear. */
export class LastGood {
  readonly #kept = new Map<string, Kept>();

  constructor(
    readonly folder: string | undefined,
    readonly lasts: number,
    readonly now: () => number,
    readonly log: (line: string) => void,
  ) {
    if (folder === undefined) return;
    privateFolder(folder);
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (name.endsWith('.json') && now() - statSync(path).mtimeMs / 1000 > lasts) rmSync(path, { force: true });
    }
  }

  /** A name that says nothing of whom it is about. */
  static named(...parts: unknown[]): string {
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  }

  /** What is kept, unless it is older than it may be. */
  get(name: string): Kept | null {
    const kept = this.#kept.get(name) ?? this.#load(name);
    if (kept === null) return null;
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    return this.now() - kept.confirmed <= this.lasts ? kept : null;
  }

  /** Keeps it, unless something newer is there. */
  put(name: string, kept: Kept): void {
    const present = this.#kept.get(name);
    if (present !== undefined && present.asked > kept.asked) return;
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    if (this.folder !== undefined) {
      try {
        write(join(this.folder, `${name}.json`), [kept.answer, kept.conversation, kept.confirmed]);
      } catch (error) {
        this.log(`a context could not be written into the folder: ${(error as { code?: string }).code ?? 'unknown'}`);
      }
    }
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST) break;
      this.forget(oldest);
    }
  }

  /** Keeps it no longer. */
  forget(name: string): void {
    this.#kept.delete(name);
    if (this.folder !== undefined) rmSync(join(this.folder, `${name}.json`), { force: true });
  }

  #load(name: string): Kept | null {
    if (this.folder === undefined) return null;
    try {
      const [answer, conversation, confirmed] = JSON.parse(readFileSync(join(this.folder, `${name}.json`), 'utf8'));
      if (typeof answer.etag !== 'string' || typeof answer.block !== 'string' || typeof confirmed !== 'number') return null;
      return { answer, conversation, confirmed, asked: 0 };
    } catch {
      return null;
    }
  }
}
