// A real `keepsake serve` on a free port with a folder of its own, and its REST API as an agent or a person uses it.

import { spawn, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const READY_WITHIN = 30_000;

export class Keepsake {
  /** Starts a server. `database` is 'sqlite' or 'postgres' (a database of its own in the cluster of the tests). */
  static async start({ database = 'sqlite', env = {} } = {}) {
    const bin = process.env.KEEPSAKE_BIN;
    if (!bin) throw new Error('KEEPSAKE_BIN names no binary; start the journeys by `cargo xtask journeys`');
    const server = new Keepsake();
    server.bin = bin;
    server.folder = await mkdtemp(join(tmpdir(), 'keepsake-journey-'));
    server.port = await freePort();
    server.url = `http://127.0.0.1:${server.port}`;
    server.log = '';
    server.folders = [server.folder];
    server.env = {
      ...withoutOurs(process.env),
      KEEPSAKE_LISTEN: `127.0.0.1:${server.port}`,
      KEEPSAKE_PUBLIC_URL: server.url,
      KEEPSAKE_DATA_DIR: server.folder,
      ...env,
    };
    if (database === 'postgres') await server.usePostgres();
    server.child = spawn(bin, ['serve'], { env: server.env, cwd: server.folder, stdio: ['ignore', 'pipe', 'pipe'] });
    server.ended = new Promise((resolve) => server.child.once('exit', (code, signal) => resolve(code ?? signal)));
    for (const stream of [server.child.stdout, server.child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (server.log += text));
    }
    await server.ready();
    return server;
  }

  async usePostgres() {
    const { KEEPSAKE_TEST_POSTGRES: url, KEEPSAKE_TEST_POSTGRES_DATA: data, KEEPSAKE_TEST_POSTGRES_PROGRAMS: programs } = process.env;
    if (!url) throw new Error('no PostgreSQL for the journeys (KEEPSAKE_TEST_POSTGRES)');
    const name = `journey_${randomBytes(6).toString('hex')}`;
    const psql = programs ? join(programs, 'psql') : 'psql';
    await run(psql, ['--quiet', '--no-psqlrc', '--command', `create database ${name}`, `${url}/postgres`]);
    const own = `${url}/${name}`;
    this.env.KEEPSAKE_DATABASE_URL = own;
    this.env.KEEPSAKE_MASTER_KEY = randomBytes(32).toString('base64');
    if (data) this.folders.push(data);
    // Dirty pages live in memory until a checkpoint: a search of the files would see nothing.
    this.flushToDisk = () => run(psql, ['--quiet', '--no-psqlrc', '--command', 'checkpoint', own]);
  }

  async ready() {
    const until = Date.now() + READY_WITHIN;
    for (;;) {
      const answered = await fetch(`${this.url}/readyz`).then((answer) => answer.ok, () => false);
      if (answered) return;
      const code = await Promise.race([this.ended, pause(100)]);
      if (code !== undefined) throw new Error(`keepsake ended with ${code}:\n${this.log}`);
      if (Date.now() > until) throw new Error(`keepsake was not ready within ${READY_WITHIN / 1000} s:\n${this.log}`);
    }
  }

  /** The one-time link that the server prints when nobody can sign in yet. */
  async setupLink() {
    const found = await eventually('the setup link in the output', () => this.log.match(/https?:\/\/[^\s"']*\/setup[^\s"']*/)?.[0]);
    const link = new URL(found);
    return `${this.url}${link.pathname}${link.search}`;
  }

  /** Runs `keepsake …` beside the server, on the same data; gives what it printed. */
  async command(args, input) {
    const child = run(this.bin, args, { env: this.env, cwd: this.folder });
    child.child.stdin.end(input ?? '');
    const { stdout } = await child;
    return stdout.trim();
  }

  as(key) {
    return new Client(this.url, key);
  }

  /** Every file in which one of `words` can be read, as UTF-8; the server's own output counts as a file. */
  async filesWith(words) {
    await this.flushToDisk?.();
    const found = [];
    for (const folder of this.folders) {
      for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
        if (!file.isFile()) continue;
        const path = join(file.parentPath ?? file.path, file.name);
        // PostgreSQL removes files while they are listed.
        const bytes = await readFile(path).catch(() => null);
        for (const word of words) if (bytes?.includes(word)) found.push(`${path}: ${word}`);
      }
    }
    for (const word of words) if (this.log.includes(word)) found.push(`log: ${word}`);
    return found;
  }

  async stop() {
    if (this.child && this.child.exitCode === null) {
      this.child.kill('SIGTERM');
      const hung = await Promise.race([this.ended.then(() => false), pause(10_000, true)]);
      if (hung) this.child.kill('SIGKILL');
      await this.ended;
      if (hung) throw new Error('keepsake did not stop within 10 s of SIGTERM');
    }
  }

  async remove() {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** One caller of the REST API. */
export class Client {
  constructor(url, key) {
    this.base = `${url}/api/v1`;
    this.key = key;
  }

  async ask(method, path, body, headers = {}) {
    const answer = await fetch(this.base + path, {
      method,
      headers: { authorization: `Bearer ${this.key}`, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      body: body ? JSON.stringify(body) : undefined,
    });
    const text = await answer.text();
    const json = text ? JSON.parse(text) : null;
    return { status: answer.status, headers: answer.headers, body: json };
  }

  /** As `ask`, but anything except 2xx is an error with what the server said. */
  async must(method, path, body, headers) {
    const answer = await this.ask(method, path, body, headers);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  get(path) {
    return this.must('GET', path);
  }

  post(path, body) {
    return this.must('POST', path, body);
  }

  /** Sends a conversation that ends with it, and waits until its extraction is over. */
  async tell(user, conversation, ...contents) {
    const posted = await this.post('/conversations', {
      user_id: user,
      conversation_id: conversation,
      end: true,
      messages: contents.map((content, n) => ({ id: `${conversation}-${n + 1}`, role: 'user', content })),
    });
    return eventually(`the extraction of ${conversation}`, async () => {
      const operation = await this.get(`/operations/${posted.operation}`);
      if (['failed', 'truncated'].includes(operation.state)) throw new Error(`extraction: ${JSON.stringify(operation)}`);
      return operation.state === 'succeeded' && operation;
    });
  }
}

/** Asks until the answer is truthy. What it throws ends the waiting at once. */
export async function eventually(what, ask, within = 15_000) {
  const until = Date.now() + within;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > until) throw new Error(`waited ${within / 1000} s in vain for ${what}`);
    await pause(100);
  }
}

function pause(milliseconds, value) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, value));
}

function withoutOurs(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('KEEPSAKE_')));
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
