// What an agent has while Keepsake is slow or away: the last good context, and conversations that wait.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import { Keepsake, NoAnswer, Problem, type ConversationPost, type Options } from '../src/index.js';
import { Outbox } from '../src/outbox.js';
import { PACE } from '../src/transport.js';
import { Hang, Peer, Raw, page, problem, said, type Answer } from './peer.js';

const QUICK = { firstWait: 0.001, longestWait: 0.001 };
const TAKEN = said({ conversation: 'conv_1', operation: 'op_1', accepted: 1, known: 0, warnings: [] }, 202);
const WHO = 'somebody-7f3';
/** Long enough on a machine that is busy. */
const PATIENT = { timeout: 30 };

const block = (text: string, etag = 'e1') => said({ serving: `srv_${etag}`, etag, block: text, tokens: 1, items: [], cut: [] });
const post = (content: string): ConversationPost => ({ user_id: WHO, messages: [{ role: 'user', content }] });
const words = (peer: Peer) => peer.asked.map((asked) => asked.body.messages[0].content);

async function begin(t: TestContext, ...script: (Answer | Raw | Hang)[]): Promise<Peer> {
  const peer = await Peer.start(...script);
  t.after(() => peer.away());
  return peer;
}

async function nowhere(t: TestContext): Promise<string> {
  const peer = await begin(t, page(500));
  await peer.away();
  return peer.url;
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-client-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A client whose day is the test's. */
function clientOf(url: string, day: { at: number }, options: Options = {}, key = 'keep_live_x'): Keepsake {
  return new Keepsake(url, key, { pace: { now: () => day.at }, ...options });
}

test('the last good context stands in, with its age', async (t) => {
  const peer = await begin(t, block('Ana likes tea.'));
  const day = { at: 1000 };
  const client = clientOf(peer.url, day, { staleFor: 100 });
  const fresh = await client.context({ user_id: WHO, query: 'tea?' }, PATIENT);
  assert.deepEqual([fresh.block, fresh.stale, fresh.age, fresh.error], ['Ana likes tea.', false, 0, null]);
  await peer.away();
  day.at += 42;
  const told = await client.context({ user_id: WHO, query: 'coffee?', conversation_id: 'c2' }, PATIENT);
  assert.deepEqual([told.block, told.stale, told.age, told.serving], ['Ana likes tea.', true, 42, 'srv_e1']);
  assert.ok(told.error instanceof NoAnswer);
  for (const other of [{ user_id: 'bo' }, { user_id: WHO, layout: 'profile' }, { user_id: WHO, max_tokens: 5 }]) {
    const nothing = await client.context(other, PATIENT);
    assert.deepEqual([nothing.block, nothing.items, nothing.serving, nothing.stale], ['', [], null, false]);
  }
  await assert.rejects(client.context({ user_id: WHO }, { ...PATIENT, orThrow: true }), NoAnswer);
  day.at += 100;
  assert.equal((await client.context({ user_id: WHO }, PATIENT)).block, '');
});

test('trouble of every kind is stood in for', async (t) => {
  const other = said({ unchanged: true, etag: 'other' });
  for (const trouble of [page(502), page(200), other, problem(429, 'throttled'), problem(500, 'internal')]) {
    const client = clientOf((await begin(t, block('kept'), trouble)).url, { at: 1000 });
    await client.context({ user_id: WHO }, PATIENT);
    const told = await client.context({ user_id: WHO }, PATIENT);
    assert.deepEqual([told.block, told.stale], ['kept', true]);
  }
});

test('who is slow is not waited for, and what comes late is kept', async (t) => {
  const slow = new Hang(block('new', 'e2'));
  const peer = await begin(t, block('old'), slow, page(502));
  const client = clientOf(peer.url, { at: 1000 });
  await client.context({ user_id: WHO }, PATIENT);
  const told = await client.context({ user_id: WHO }, { timeout: 0.05 });
  assert.deepEqual([told.block, told.stale], ['old', true]);
  await slow.came;
  slow.go();
  // The late answer comes on a connection of its own; every further try is refused by the proxy.
  let later = told;
  for (let tries = 0; later.block === 'old' && tries < 1000; tries += 1) later = await client.context({ user_id: WHO }, PATIENT);
  assert.deepEqual([later.block, later.stale], ['new', true]);
});

test('who is refused gets nothing, then or later', async (t) => {
  for (const [status, code] of [[401, 'unauthorized'], [403, 'forbidden'], [404, 'not_found']] as const) {
    const client = clientOf((await begin(t, block('kept'), problem(status, code), page(502))).url, { at: 1000 });
    await client.context({ user_id: WHO }, PATIENT);
    const told = await client.context({ user_id: WHO }, PATIENT);
    assert.deepEqual([told.block, told.stale], ['', false]);
    assert.ok(told.error instanceof Problem && told.error.code === code);
    assert.equal((await client.context({ user_id: WHO }, PATIENT)).block, '');
  }
});

test('what is unchanged is asked for within one conversation', async (t) => {
  const peer = await begin(t, block('tea'), said({ unchanged: true, etag: 'e1' }), block('tea'));
  const client = clientOf(peer.url, { at: 1000 });
  await client.context({ user_id: WHO, conversation_id: 'c1' }, PATIENT);
  const again = await client.context({ user_id: WHO, conversation_id: 'c1', if_changed: 'mine' }, PATIENT);
  assert.deepEqual([again.block, again.serving, again.stale], ['tea', 'srv_e1', false]);
  await client.context({ user_id: WHO, conversation_id: 'c2' }, PATIENT);
  assert.deepEqual(peer.asked.map((asked) => asked.body.if_changed), [undefined, 'e1', undefined]);
});

test('a folder keeps contexts over a restart, for the same key alone', async (t) => {
  const folder = folderOf(t);
  const peer = await begin(t, block('tea'));
  const day = { at: 1000 };
  await clientOf(peer.url, day, { folder }).context({ user_id: WHO }, PATIENT);
  await peer.away();
  day.at += 5;
  const told = await clientOf(peer.url, day, { folder }).context({ user_id: WHO }, PATIENT);
  assert.deepEqual([told.block, told.stale, told.age], ['tea', true, 5]);
  assert.equal((await clientOf(peer.url, day, { folder }, 'keep_live_y').context({ user_id: WHO }, PATIENT)).block, '');
  const [file, ...others] = readdirSync(join(folder, 'contexts'));
  assert.ok(file && others.length === 0 && !file.includes(WHO));
  const path = join(folder, 'contexts', file);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  writeFileSync(path, '[1, 2');
  assert.equal((await clientOf(peer.url, day, { folder }).context({ user_id: WHO }, PATIENT)).block, '');
});

test('conversations wait and go out in order, each taken once', async (t) => {
  const peer = await begin(t, problem(503, 'unavailable'), page(502), TAKEN);
  const client = new Keepsake(peer.url, 'keep_live_x', { pace: QUICK });
  for (const content of ['one', 'two', 'three']) client.sendLater(post(content));
  assert.equal(await client.flush(30), 0);
  assert.deepEqual(words(peer), ['one', 'one', 'one', 'two', 'three']);
  const keys = peer.sent('idempotency-key');
  assert.deepEqual([new Set(keys.slice(0, 3)).size, new Set(keys).size], [1, 3]);
});

test('nobody waits for them', async (t) => {
  const lines: string[] = [];
  const pace = { firstWait: 60, longestWait: 60 };
  const client = new Keepsake(await nowhere(t), 'keep_live_x', { pace, log: (line) => lines.push(line) });
  client.sendLater(post('one'));
  assert.equal(client.waiting, 1);
  assert.equal(await client.flush(0.05), 1);
  assert.equal(await client.close(0.05), 1);
  assert.deepEqual(lines, ['closed with conversations that are not sent: 1']);
  assert.throws(() => client.sendLater(post('two')), TypeError);
});

test('who closes while a try is under way does not wait for the next one', async (t) => {
  const hang = new Hang(problem(503, 'unavailable'));
  const peer = await begin(t, hang, TAKEN);
  const client = new Keepsake(peer.url, 'keep_live_x', { pace: { firstWait: 60, longestWait: 60 }, log: () => {} });
  client.sendLater(post('one'));
  await hang.came;
  const left = client.close(30);
  hang.go();
  assert.equal(await left, 0);
  assert.deepEqual(words(peer), ['one', 'one']);
});

test('a message keeps the time at which it was said', async (t) => {
  const peer = await begin(t, TAKEN);
  const client = clientOf(peer.url, { at: 0 });
  const then = '2026-01-01T00:00:00Z';
  client.sendLater({ user_id: WHO, messages: [{ role: 'user', content: 'now' }, { role: 'user', content: 'then', at: then }] });
  assert.equal(await client.flush(30), 0);
  assert.deepEqual(peer.asked[0]?.body.messages.map((message: { at: string }) => message.at), ['1970-01-01T00:00:00.000Z', then]);
});

test('what is refused is told, and the next one goes out', async (t) => {
  const refused: unknown[] = [];
  const lines: string[] = [];
  const script = [problem(422, 'invalid'), problem(410, 'idempotency_gone'), problem(401, 'unauthorized'), TAKEN];
  const peer = await begin(t, ...script);
  const client = new Keepsake(peer.url, 'keep_live_x', {
    pace: QUICK,
    log: (line) => lines.push(line),
    onRefused: (body, why) => {
      refused.push([body.messages?.[0]?.content, why.code]);
      throw new Error("a fault of the agent's own");
    },
  });
  for (const content of ['bad', 'gone', 'good']) client.sendLater(post(content));
  assert.equal(await client.flush(30), 0);
  assert.deepEqual(refused, [['bad', 'invalid']]);
  assert.deepEqual(words(peer), ['bad', 'gone', 'good', 'good']);
  // Of the refusal, of the fault, and of the key.
  assert.equal(lines.length, 3);
  assert.ok(!lines.join().includes(WHO));
});

test('a key that is refused is told once, and what waits goes out with it later', async (t) => {
  const told: unknown[] = [];
  const lines: string[] = [];
  const revoked = problem(401, 'unauthorized');
  const peer = await begin(t, revoked, revoked, page(403), TAKEN, problem(403, 'forbidden'), TAKEN);
  const client = new Keepsake(peer.url, 'keep_live_x', {
    pace: QUICK,
    log: (line) => lines.push(line),
    onRefused: () => assert.fail('it is not refused for good'),
    onKeyRefused: (error) => told.push(error.status),
  });
  for (const content of ['one', 'two']) client.sendLater(post(content));
  assert.equal(await client.flush(30), 0);
  assert.deepEqual([told, lines.length], [[401, 403], 2]);
  assert.deepEqual(words(peer), ['one', 'one', 'one', 'one', 'two', 'two']);
});

test('what is put in as the last one has gone out is sent, too', async () => {
  const sent: string[] = [];
  const outbox: Outbox = new Outbox(
    async (body) => {
      sent.push(body);
      if (sent.length > 1) return;
      // Between the last look at the buffer and the end of whoever looked.
      const look = () => (outbox.size === 0 ? outbox.put(post('two')) : queueMicrotask(look));
      queueMicrotask(look);
    },
    { capacity: 10, folder: undefined, pace: { ...PACE, ...QUICK }, refused: undefined, keyRefused: undefined, log: () => {} },
  );
  outbox.put(post('one'));
  await turn();
  assert.deepEqual([sent.length, outbox.size], [2, 0]);
});

test('a full buffer gives up the oldest', async (t) => {
  const hang = new Hang(problem(503, 'unavailable'));
  const peer = await begin(t, hang, TAKEN);
  const client = new Keepsake(peer.url, 'keep_live_x', { pace: QUICK, capacity: 2, log: () => {} });
  client.sendLater(post('one'));
  await hang.came;
  for (const content of ['two', 'three']) client.sendLater(post(content));
  assert.deepEqual([client.waiting, client.lost], [2, 1]);
  hang.go();
  assert.equal(await client.flush(30), 0);
  assert.deepEqual(words(peer), ['one', 'two', 'three']);
});

test('a folder keeps conversations over a restart', async (t) => {
  const folder = folderOf(t);
  const first = new Keepsake(await nowhere(t), 'keep_live_x', { pace: { firstWait: 60 }, folder, log: () => {} });
  for (const content of ['one', 'two']) first.sendLater(post(content));
  assert.equal(await first.close(0), 2);
  const outbox = join(folder, 'outbox');
  for (const name of readdirSync(outbox)) assert.equal(statSync(join(outbox, name)).mode & 0o777, 0o600);
  writeFileSync(join(outbox, 'broken.json'), '{');
  const peer = await begin(t, TAKEN);
  const lines: string[] = [];
  const second = new Keepsake(peer.url, 'keep_live_x', { folder, log: (line) => lines.push(line) });
  await turn();
  assert.equal(await second.close(30), 0);
  assert.deepEqual([words(peer), lines.length, readdirSync(outbox)], [['one', 'two'], 1, ['broken.json']]);
});
