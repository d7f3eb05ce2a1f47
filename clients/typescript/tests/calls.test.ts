// Calls: what is tried again, for how long, and what comes of answers that are none.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { spelled } from '../src/client.js';
import { Keepsake, NoAnswer, Problem, type ConversationPost, type Pace } from '../src/index.js';
import { PACE, milliseconds, secondsOf, wait } from '../src/transport.js';
import { Hang, Peer, Raw, page, problem, said, type Answer } from './peer.js';

const TAKEN = said({ conversation: 'conv_1', operation: 'op_1', accepted: 1, known: 0, warnings: [] }, 202);
const POST: ConversationPost = { user_id: 'ana', messages: [{ role: 'user', content: 'I prefer Python.' }] };

/** A clock that only goes on while somebody sleeps. */
class Time {
  at = 1000;
  readonly slept: number[] = [];

  pace(more: Partial<Pace> = {}): Partial<Pace> {
    const sleep = async (seconds: number) => {
      this.slept.push(seconds);
      this.at += seconds;
    };
    return { clock: () => this.at, now: () => this.at, sleep, chance: () => 1, ...more };
  }
}

async function begin(t: TestContext, script: (Answer | Raw | Hang)[], pace: Partial<Pace> = {}) {
  const peer = await Peer.start(...script);
  t.after(() => peer.away());
  const time = new Time();
  return { peer, time, client: new Keepsake(peer.url, 'keep_live_x', { pace: time.pace(pace) }) };
}

test('a full bucket is waited for, and the call made again under one key', async (t) => {
  const { peer, time, client } = await begin(t, [problem(429, 'throttled', {}, { 'retry-after': '3' }), TAKEN]);
  assert.equal((await client.send(POST)).operation, 'op_1');
  assert.deepEqual(time.slept, [3]);
  const keys = peer.sent('idempotency-key');
  assert.ok(keys[0]);
  assert.equal(keys[0], keys[1]);
  assert.deepEqual(peer.sent('authorization'), ['Bearer keep_live_x', 'Bearer keep_live_x']);
  await client.send(POST);
  assert.notEqual(peer.sent('idempotency-key')[2], keys[0]);
});

test('the waits grow and are spread', async (t) => {
  const script = [page(502), problem(503, 'unavailable'), problem(500, 'internal'), TAKEN];
  const { time, client } = await begin(t, script, { firstWait: 1 });
  await client.send(POST);
  assert.deepEqual(time.slept, [1, 2, 4]);
  assert.equal(wait({ ...PACE, firstWait: 1, chance: () => 0 }, 1, null), 0.5);
  assert.equal(wait({ ...PACE, longestWait: 5, chance: () => 1 }, 10_000, null), 5);
});

test('nobody waits beyond the deadline', async (t) => {
  const { peer, time, client } = await begin(t, [problem(429, 'throttled', {}, { 'retry-after': '3600' }), TAKEN]);
  await assert.rejects(client.send(POST), (error) => error instanceof Problem && error.status === 429 && error.retryAfter === 3600);
  assert.deepEqual([time.slept, peer.asked.length], [[], 1]);
});

test('a refusal is thrown with all it says, and not tried again', async (t) => {
  const errors = [{ pointer: '/messages/0/role', code: 'not_allowed', detail: '…' }];
  const { peer, client } = await begin(t, [problem(422, 'invalid', { errors }), TAKEN]);
  await assert.rejects(client.send(POST), (error) => {
    assert.ok(error instanceof Problem);
    assert.deepEqual([error.code, error.status, error.requestId, error.errors], ['invalid', 422, 'req_1', errors]);
    return !error.passing;
  });
  assert.equal(peer.asked.length, 1);
});

test('the first one still being worked on is waited for', async (t) => {
  const { peer, client } = await begin(t, [problem(409, 'idempotency_in_flight'), TAKEN]);
  await client.send(POST);
  assert.equal(peer.asked.length, 2);
});

test('what is none of our answers is no answer', async (t) => {
  const cutOff = new Raw('HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"operation": "op');
  const garbage = [page(200), said([]), said({}), said({ code: 'x' }, 500), new Raw('SSH-2.0-x\r\n\r\n'), new Raw(''), cutOff];
  for (const one of garbage) {
    const once = await begin(t, [one, TAKEN]);
    assert.equal((await once.client.send(POST)).operation, 'op_1');
    const always = await begin(t, [one], { deadline: 1 });
    await assert.rejects(always.client.send(POST), NoAnswer);
  }
  const { peer, client } = await begin(t, [TAKEN], { deadline: 1 });
  await peer.away();
  await assert.rejects(client.memory('mem_1'), NoAnswer);
});

test('a key goes nowhere else', async (t) => {
  const elsewhere = await begin(t, [TAKEN]);
  const moved = await begin(t, [page(307, { location: `${elsewhere.peer.url}/api/v1/conversations` })]);
  await assert.rejects(moved.client.send(POST), NoAnswer);
  assert.deepEqual([moved.peer.asked.length, elsewhere.peer.asked.length], [1, 0]);
  for (const wrong of ['ftp://x', '127.0.0.1:3000']) assert.throws(() => new Keepsake(wrong, 'keep_live_x'), TypeError);
});

test('a key is taken as a file has it, and none with more in it', async (t) => {
  const { peer } = await begin(t, [TAKEN]);
  await new Keepsake(peer.url, ' keep_live_x\r\n').send(POST);
  assert.deepEqual(peer.sent('authorization'), ['Bearer keep_live_x']);
  for (const [wrong, said] of [['', /needed/], [' \n', /needed/], ['a\nb', /white space/], ['a b', /white space/], ['clé', /letters/]] as const) {
    assert.throws(() => new Keepsake('http://x', wrong), said);
  }
});

test('one try does not last longer than its time', async (t) => {
  const slow = new Hang(TAKEN);
  const peer = await Peer.start(slow);
  t.after(() => peer.away());
  const client = new Keepsake(peer.url, 'keep_live_x', { pace: { timeout: 0.05, deadline: 0.05 } });
  await assert.rejects(client.send(POST), NoAnswer);
});

test('an operation is asked for until it has ended', async (t) => {
  const running = said({ id: 'op_1', state: 'running' });
  const { peer, client } = await begin(t, [running, running, said({ id: 'op_1', state: 'succeeded' })]);
  assert.equal((await client.wait('op_1')).state, 'succeeded');
  assert.deepEqual(peer.asked.map((asked) => asked.path), Array(3).fill('/api/v1/operations/op_1'));
  const never = await begin(t, [running]);
  assert.equal((await never.client.wait('op_1', 5)).state, 'running');
  assert.ok(never.time.slept.reduce((sum, one) => sum + one, 0) < 5);
});

test('a list is walked page by page', async (t) => {
  const first = said({ data: [{ id: 'mem_1' }, { id: 'mem_2' }], next: 'c/1' });
  const { peer } = await begin(t, [first, said({ data: [{ id: 'mem_3' }], next: null })]);
  const client = new Keepsake(peer.url, 'keep_live_x', { agent: 'support' });
  const found: string[] = [];
  for await (const memory of client.memories({ user_id: 'a&b', limit: 2 })) found.push(memory.id);
  assert.deepEqual(found, ['mem_1', 'mem_2', 'mem_3']);
  assert.deepEqual(peer.asked.map((asked) => asked.path), [
    '/api/v1/memories?user_id=a%26b&limit=2&agent=support',
    '/api/v1/memories?user_id=a%26b&limit=2&cursor=c%2F1&agent=support',
  ]);
});

test('decisions carry the version that was seen', async (t) => {
  const { peer, client } = await begin(t, [said({ id: 'cand_1', version: 2, memory: 'mem_1' })]);
  assert.equal((await client.approve('cand_1', {}, { ifMatch: 1 })).memory, 'mem_1');
  await client.reject('cand_1', { reason: 'wrong' }, { ifMatch: '*' });
  assert.deepEqual(peer.sent('if-match'), ['"1"', '*']);
  assert.deepEqual(peer.asked[0]?.body, {});
});

test('any user can be named in a path', async (t) => {
  const { peer, client } = await begin(t, [said({ profiles: {} })]);
  for (const user of ['a/b ü', '..', { tenant: 't' }]) await client.profile(user);
  assert.deepEqual(peer.asked.map((asked) => asked.path), [
    '/api/v1/users/a%2Fb%20%C3%BC/profile',
    '/api/v1/users/%7B%22user_id%22%3A%22..%22%7D/profile',
    '/api/v1/users/%7B%22tenant%22%3A%22t%22%7D/profile',
  ]);
  assert.equal(spelled('{x'), '{"user_id":"{x"}');
});

test('Retry-After is seconds or a date', () => {
  assert.equal(secondsOf('7', 0), 7);
  assert.equal(secondsOf('Thu, 01 Jan 1970 00:01:00 GMT', 50), 10);
  for (const none of [null, 'soon', '-', '-5']) assert.equal(secondsOf(none, 0), null);
});

test('no answer asks for more than an hour, and no timer is over at once for being long', () => {
  for (const long of ['3601', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT']) assert.equal(secondsOf(long, 0), 3600);
  assert.equal(milliseconds(0.0005), 1);
  for (const long of [30 * 86_400, Infinity]) assert.equal(milliseconds(long), 2 ** 31 - 1);
});
